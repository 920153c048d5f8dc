/** Datasets: the list with columns and counts. */
import { useState } from "preact/hooks";
import type { Dataset } from "../../../../protocol/datasets.ts";
import { get } from "../api.ts";
import { useLive } from "../live.ts";
import { Table } from "../parts/table.tsx";
import { DatasetDetail } from "./dataset-detail.tsx";
import { DatasetForm } from "./dataset-form.tsx";
import { ColumnTags, countsOf } from "./dataset-words.tsx";

export function DatasetsPage({ rest: [datasetId] }: { rest: string[] }) {
  const { value, error } = useLive(["datasets"], () => get<Dataset[]>("/v1/datasets"));
  const [creating, setCreating] = useState(false);
  if (value === null) return error === null ? null : <p class="bad">{error}</p>;
  const shown = value.find(({ id }) => id === datasetId);
  return (
    <>
      {datasetId === undefined ? (
        <>
          <div class="row ends">
            <h1>Datasets</h1>
            <button type="button" class="main" onClick={() => setCreating(true)}>
              New dataset from CSV
            </button>
          </div>
          {value.length === 0 ? (
            <p class="soft">
              No dataset yet. A dataset is a table of text whose rows are assigned to profiles or runs.
            </p>
          ) : (
            <DatasetTable datasets={value} />
          )}
        </>
      ) : shown === undefined ? (
        <p>
          This dataset does not exist. <a href="#/datasets">All datasets</a>
        </p>
      ) : (
        <DatasetDetail key={datasetId} dataset={shown} />
      )}
      {creating ? <DatasetForm onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function DatasetTable({ datasets }: { datasets: Dataset[] }) {
  return (
    <div class="card">
      <Table
        label="Datasets"
        class="stack"
        heads={["Name", "Mode", "Columns", { number: "Rows" }, "By state", { number: "Profiles" }]}
      >
        {datasets.map((dataset) => (
          <tr key={dataset.id}>
            <td>
              <a href={`#/datasets/${dataset.id}`}>{dataset.name}</a>
            </td>
            <td data-label="Mode">
              {dataset.mode}
              {dataset.rowsPerRun === null ? null : (
                <span class="soft">{`, ${dataset.rowsPerRun} per run`}</span>
              )}
            </td>
            <td data-label="Columns">
              <ColumnTags dataset={dataset} />
            </td>
            <td class="number" data-label="Rows">
              {dataset.rows.total.toLocaleString()}
            </td>
            <td data-label="By state">{countsOf(dataset)}</td>
            <td class="number" data-label="Profiles">
              {dataset.profiles.toLocaleString()}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
