/** Dataset rows in runs: reserves rows when a part begins, and settles them when it ends. */
import { Fault } from "../../protocol/faults.ts";
import type { RunTask } from "../../protocol/messages/library.ts";
import type { Writer } from "../../storage/sqlite.ts";
import {
  holdRows,
  nextFree,
  rowsOfParts,
  rowsOfProfiles,
  settleRows,
} from "../../storage/tables/dataset-marks.ts";
import { datasetAt, readRows, type StoredDataset } from "../../storage/tables/datasets.ts";
import { slotsOfProfiles } from "../../storage/tables/profile-datasets.ts";
import type { Vault } from "../../storage/vault.ts";
import { allValues, openValues } from "./dataset-rows.ts";

export interface PartOfRun {
  runId: string;
  profileId: string;
  /** Only an approved script gets secret columns. */
  approved: boolean;
  /** It may have reserved its rows before. */
  again?: boolean;
}

/** Reserves a part's rows and returns the script's row data. Throws `conflict` if the content dataset has no available row. */
export function takeRowsForPart(
  sql: Writer,
  vault: Vault,
  part: PartOfRun,
): Required<Pick<RunTask, "row" | "rows">> {
  const slots = slotsOfProfiles(sql, [part.profileId]);
  const datasetIn = (slot: "identity" | "content") => {
    const filled = slots.find((one) => one.slot === slot);
    return filled === undefined ? null : datasetAt(sql, filled.dataset);
  };
  const identity = datasetIn("identity");
  const content = datasetIn("content");
  const valuesOf = (dataset: StoredDataset, rows: readonly number[]) =>
    readRows(sql, dataset, rows).map((row) =>
      part.approved ? allValues(vault, dataset, row) : openValues(dataset.columns, row),
    );
  const own =
    identity === null ? undefined : rowsOfProfiles(sql, identity, [part.profileId]).get(part.profileId);
  return {
    row: identity === null || own === undefined ? null : (valuesOf(identity, [own])[0] ?? null),
    rows: content === null ? [] : valuesOf(content, reserve(sql, content, part)),
  };
}

export function noRowLeft({ name, id, rowsTotal, rowsUsed, rowsHeld }: StoredDataset): string {
  return `content dataset ${JSON.stringify(name)} (${id}) has no available row left: of ${rowsTotal} rows ${rowsUsed} are used and ${rowsHeld} reserved; append rows or reset it`;
}

function reserve(sql: Writer, dataset: StoredDataset, { runId, profileId, again }: PartOfRun): number[] {
  const reserved = again === true ? rowsOfParts(sql, runId, profileId).get(dataset.position) : undefined;
  if (reserved !== undefined) return reserved;
  const rows = nextFree(sql, dataset, dataset.rowsPerRun);
  if (rows.length === 0) throw new Fault("conflict", noRowLeft(dataset));
  holdRows(
    sql,
    dataset,
    rows.map((row) => ({ row, profileId })),
    runId,
  );
  return rows;
}

export function settlePart(sql: Writer, runId: string, profileId: string, completed: boolean): void {
  settle(sql, rowsOfParts(sql, runId, profileId), completed ? "used" : "free");
}

export function returnRowsOfRun(sql: Writer, runId: string): void {
  settle(sql, rowsOfParts(sql, runId, null), "free");
}

function settle(sql: Writer, held: Map<number, number[]>, become: "free" | "used"): void {
  for (const [position, rows] of held) settleRows(sql, datasetAt(sql, position), rows, become);
}
