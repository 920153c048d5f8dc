/** Datasets: create, list, append rows, read slices, reset. */
import { randomUUID } from "node:crypto";
import type { Dataset, DatasetRow, DatasetRowsReply, RowCounts, RowState } from "../../protocol/datasets.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { forgetUsed, freeRows } from "../../storage/tables/dataset-marks.ts";
import {
  addRows,
  datasetAt,
  insertDataset,
  listDatasets,
  readDataset,
  type StoredDataset,
  type StoredRow,
  sliceOfRows,
} from "../../storage/tables/datasets.ts";
import { profilesByDataset } from "../../storage/tables/profile-datasets.ts";
import { createTurns } from "../kernel/turns.ts";
import { instant, type LibraryContext } from "./context.ts";
import { checkRows, columnsOf, openValues, sealRows } from "./dataset-rows.ts";

/** Throws `not-found`. */
export function existingDataset(sql: Reader, datasetId: string): StoredDataset {
  const dataset = readDataset(sql, datasetId.toLowerCase());
  if (dataset === null) throw new Fault("not-found", `dataset ${datasetId} does not exist`);
  return dataset;
}

function countsOf(dataset: StoredDataset): RowCounts {
  const { mode, rowsTotal: total, rowsHeld, rowsUsed: used } = dataset;
  const free = freeRows(dataset);
  const none = { unassigned: 0, assigned: 0, available: 0, reserved: 0, used: 0 };
  return mode === "fixed"
    ? { total, ...none, unassigned: free, assigned: rowsHeld }
    : { total, ...none, available: free, reserved: rowsHeld, used };
}

function recordOf(dataset: StoredDataset, profiles: number): Dataset {
  const { id, name, mode, columns, rowsPerRun, createdAt } = dataset;
  return {
    id,
    name,
    mode,
    columns,
    rowsPerRun: mode === "consume" ? rowsPerRun : null,
    rows: countsOf(dataset),
    profiles,
    createdAt,
  };
}

export function datasetNow(sql: Reader, { position }: StoredDataset): Dataset {
  return recordOf(datasetAt(sql, position), profilesByDataset(sql).get(position) ?? 0);
}

const states = {
  fixed: { held: "assigned", free: "unassigned", used: "unassigned" },
  consume: { held: "reserved", free: "available", used: "used" },
} as const satisfies Record<string, Record<string, RowState>>;

function shownRow({ mode, columns, firstFresh }: StoredDataset, stored: StoredRow): DatasetRow {
  const mark = stored.mark ?? (stored.row < firstFresh ? "used" : "free");
  const { row, profileId, runId } = stored;
  return { row, state: states[mode][mark], profileId, runId, values: openValues(columns, stored) };
}

type MakingCalls = "listDatasets" | "createDataset" | "appendRows";

function makingArea(context: LibraryContext): Pick<LibraryApi, MakingCalls> {
  const { database, vault, clock } = context;
  /** Sealing binds each row to its future number while other calls run. */
  const inTurn = createTurns();
  return {
    listDatasets: () =>
      database.read((sql) => {
        const profiles = profilesByDataset(sql);
        return listDatasets(sql).map((dataset) => recordOf(dataset, profiles.get(dataset.position) ?? 0));
      }),
    async createDataset({ name, mode, rowsPerRun, ...input }) {
      if (mode === "fixed" && rowsPerRun !== null) {
        throw new Fault(
          "invalid",
          `rows_per_run goes with mode consume only, got ${rowsPerRun} with mode fixed`,
        );
      }
      const columns = columnsOf(input.columns);
      const { good, badRows } = checkRows(columns, input.rows);
      const id = randomUUID();
      const sealed = await sealRows(vault, { id, columns, rowsTotal: 0 }, good);
      return database.write((sql) => {
        const perRun = rowsPerRun ?? limits.rowsPerRunDefault;
        insertDataset(sql, { id, name, mode, columns, rowsPerRun: perRun, createdAt: instant(clock) });
        const dataset = existingDataset(sql, id);
        addRows(sql, dataset, sealed);
        return { dataset: datasetNow(sql, dataset), badRows };
      });
    },
    appendRows: ({ datasetId, rows }) =>
      inTurn(datasetId.toLowerCase(), async () => {
        const before = await database.read((sql) => existingDataset(sql, datasetId));
        const { good, badRows } = checkRows(before.columns, rows);
        const sealed = await sealRows(vault, before, good);
        return database.write((sql) => {
          const dataset = existingDataset(sql, datasetId); // It may have been deleted meanwhile.
          addRows(sql, dataset, sealed);
          return { added: good.length, badRows, dataset: datasetNow(sql, dataset) };
        });
      }),
  };
}

export function datasetsArea(
  context: LibraryContext,
): Pick<LibraryApi, MakingCalls | "datasetRows" | "resetDataset"> {
  const { database } = context;
  return {
    ...makingArea(context),
    datasetRows: ({ datasetId, offset, limit }) =>
      database.read((sql) => {
        const dataset = existingDataset(sql, datasetId);
        const rows = sliceOfRows(sql, dataset, { offset, limit, bytesMax: limits.datasetSliceBytesMax });
        const reply: DatasetRowsReply = {
          total: dataset.rowsTotal,
          rows: rows.map((row) => shownRow(dataset, row)),
        };
        return { json: new TextEncoder().encode(JSON.stringify(reply)) };
      }),
    resetDataset: ({ datasetId }) =>
      database.write((sql) => {
        const dataset = existingDataset(sql, datasetId);
        if (dataset.mode === "fixed") {
          throw new Fault(
            "invalid",
            `only a consume dataset can be reset, ${datasetId} is fixed; unassign its profiles instead`,
          );
        }
        forgetUsed(sql, dataset);
        return { reset: dataset.rowsUsed, dataset: datasetNow(sql, dataset) };
      }),
  };
}
