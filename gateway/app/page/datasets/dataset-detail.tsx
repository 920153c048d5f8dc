/** One dataset: its rows in pages, their profiles, and its actions. */
import { useCallback, useState } from "preact/hooks";
import type {
  Dataset,
  DatasetRow,
  DatasetRowsReply,
  ResetDatasetReply,
  UnassignDatasetReply,
} from "../../../../protocol/datasets.ts";
import { get, post } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { counted } from "../parts/counted.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Pager } from "../parts/pager.tsx";
import { Table } from "../parts/table.tsx";
import { AssignDialog } from "../profiles/assign-dialog.tsx";
import { ProfilePicker } from "../profiles/profile-picker.tsx";
import { type Listed, useNames } from "../profiles/store.ts";
import { AppendDialog } from "./dataset-append.tsx";
import { ColumnTags, countsOf } from "./dataset-words.tsx";

const rowsShown = 100;

type Act = "append" | "assign" | "unassign";

export function DatasetDetail({ dataset }: { dataset: Dataset }) {
  const [act, setAct] = useState<Act | null>(null);
  const close = () => setAct(null);
  const path = `/v1/datasets/${dataset.id}`;
  const reset = () => {
    const { used } = dataset.rows;
    if (!confirm(`Make the ${used.toLocaleString()} used rows of "${dataset.name}" available again?`)) return;
    void attempt(() => post<ResetDatasetReply>(`${path}/reset`), "The used rows are available again.");
  };
  return (
    <>
      <p>
        <a href="#/datasets">All datasets</a>
      </p>
      <div class="row ends">
        <h1>{dataset.name}</h1>
        <div class="row">
          {dataset.mode === "fixed" ? null : (
            <button type="button" disabled={dataset.rows.used === 0} onClick={reset}>
              Reset used rows
            </button>
          )}
          <button type="button" disabled={dataset.profiles === 0} onClick={() => setAct("unassign")}>
            Unassign
          </button>
          <button type="button" onClick={() => setAct("assign")}>
            Assign to profiles
          </button>
          <button type="button" class="main" onClick={() => setAct("append")}>
            Append CSV
          </button>
        </div>
      </div>
      <p class="soft">
        {`${dataset.mode}${dataset.rowsPerRun === null ? "" : `, ${dataset.rowsPerRun} per run`} · ${countsOf(dataset)} · `}
        {counted(dataset.profiles, "profile")}
      </p>
      <p>
        <ColumnTags dataset={dataset} />
      </p>
      <Rows dataset={dataset} />
      {act === "append" ? <AppendDialog dataset={dataset} onClose={close} /> : null}
      {act === "unassign" ? <UnassignDialog dataset={dataset} onClose={close} /> : null}
      {act === "assign" ? (
        <AssignDialog
          name={dataset.name}
          replaces="Replace a profile's current dataset of this mode"
          assign={(profile_ids, force) => post(`${path}/assign`, { profile_ids, force }).then(close)}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function UnassignDialog({ dataset, onClose }: { dataset: Dataset; onClose(): void }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { name, mode } = dataset;
  const hasIt = useCallback(
    (profile: Listed) => (mode === "fixed" ? profile.identityDataset : profile.contentDataset) === name,
    [name, mode],
  );
  const unassign = async () => {
    const profile_ids = [...chosen];
    await post<UnassignDatasetReply>(`/v1/datasets/${dataset.id}/unassign`, { profile_ids });
    onClose();
  };
  return (
    <FormDialog
      title={`Unassign ${name}`}
      submit="Unassign"
      ready={chosen.size > 0}
      act={unassign}
      onClose={onClose}
    >
      <ProfilePicker chosen={chosen} onChange={setChosen} among={hasIt} />
    </FormDialog>
  );
}

function Rows({ dataset }: { dataset: Dataset }) {
  const [offset, setOffset] = useState(0);
  const path = `/v1/datasets/${dataset.id}/rows?offset=${offset}&limit=${rowsShown}`;
  const { value, error } = useLive(["datasets"], () => get<DatasetRowsReply>(path), path);
  const nameOf = useNames();
  if (value === null) return error === null ? null : <p class="bad">{error}</p>;
  const shown = dataset.columns.filter(({ secret }) => !secret).map(({ name }) => name);
  return (
    <section class="card" aria-label="Rows">
      {value.total === 0 ? <p class="soft">No rows.</p> : null}
      <Table
        label="Rows of the dataset"
        heads={[{ text: "Row", number: true }, "State", "Profile", ...shown]}
      >
        {value.rows.map((row) => (
          <RowLine key={row.row} row={row} columns={shown} nameOf={nameOf} />
        ))}
      </Table>
      <Pager offset={offset} limit={rowsShown} total={value.total} onOffset={setOffset} />
    </section>
  );
}

function RowLine(props: { row: DatasetRow; columns: string[]; nameOf(id: string): string }) {
  const { row, columns, nameOf } = props;
  return (
    <tr>
      <td class="number">{row.row.toLocaleString()}</td>
      <td>{row.state}</td>
      <td>{row.profileId === null ? "" : nameOf(row.profileId)}</td>
      {columns.map((name) => (
        <td key={name} class="said">
          {(row.values[name] ?? "").slice(0, 500)}
        </td>
      ))}
    </tr>
  );
}
