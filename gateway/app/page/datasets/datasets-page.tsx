/** Datasets: the list with columns and counts. */
import { useState } from "preact/hooks";
import type { Dataset } from "../../../../protocol/datasets.ts";
import { get } from "../api.ts";
import { useLive } from "../live.ts";
import { Empty } from "../parts/empty.tsx";
import { type Column, useSort } from "../parts/sort.ts";
import { Table } from "../parts/table.tsx";
import { DatasetDetail } from "./dataset-detail.tsx";
import { DatasetForm } from "./dataset-form.tsx";
import { ColumnTags, countsOf } from "./dataset-words.tsx";

export function DatasetsPage({ rest: [datasetId] }: { rest: string[] }) {
  const { value, error } = useLive(["datasets"], () => get<Dataset[]>("/v1/datasets"));
  const [creating, setCreating] = useState(false);
  if (value === null) return error === null ? null : <p class="bad">{error}</p>;
  const shown = value.find(({ id }) => id === datasetId);
  const first = (
    <button type="button" class="main" onClick={() => setCreating(true)}>
      New dataset from CSV
    </button>
  );
  return (
    <>
      {datasetId === undefined ? (
        <>
          <div class="row ends">
            <h1>Datasets</h1>
            {value.length === 0 ? null : first}
          </div>
          {value.length === 0 ? (
            <Empty title="No dataset yet" first={first}>
              A dataset is a table of text for scripts: a row of its own for each profile, such as an account,
              or fresh rows for each run.
            </Empty>
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

const columns: Column<Dataset>[] = [
  { head: "Name", key: ({ name }) => name },
  { head: "Mode", key: ({ mode }) => mode },
  { head: "Columns" },
  { head: "Rows", number: true, key: ({ rows }) => rows.total },
  { head: "By state" },
  { head: "Profiles", number: true, key: ({ profiles }) => profiles },
];

function DatasetTable({ datasets }: { datasets: Dataset[] }) {
  const { sorted, heads } = useSort(datasets, columns);
  return (
    <div class="card">
      <Table label="Datasets" class="stack" heads={heads}>
        {sorted.map((dataset) => (
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
