/** Assigns datasets to profiles and unassigns them, all or nothing, and updates the profile list. */
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import {
  freeRows,
  holdRows,
  nextFree,
  rowsOfProfiles,
  settleRows,
} from "../../storage/tables/dataset-marks.ts";
import { datasetAt, type StoredDataset } from "../../storage/tables/datasets.ts";
import {
  type DatasetSlot,
  emptySlots,
  type FilledSlot,
  fillSlots,
  slotsOfProfiles,
} from "../../storage/tables/profile-datasets.ts";
import type { LibraryContext } from "./context.ts";
import { distinctIds, refuseUnknown } from "./create-run.ts";
import { datasetNow, existingDataset } from "./datasets.ts";
import { listedOf } from "./profile-datasets.ts";
import type { ProfileList } from "./profile-list.ts";

const namedMax = 5;

/** protocol/README.md, "Datasets": the mode determines the slot. */
function slotOf({ mode }: StoredDataset): DatasetSlot {
  return mode === "fixed" ? "identity" : "content";
}

export function showDatasets(sql: Reader, list: ProfileList, profileIds: readonly string[]): void {
  const listed = listedOf(slotsOfProfiles(sql, profileIds));
  for (const profileId of profileIds) list.setDatasets(profileId, listed.get(profileId) ?? {});
}

function refuseTaken(taken: readonly FilledSlot[], slot: DatasetSlot): void {
  const [first] = taken;
  if (first === undefined) return;
  const named = taken.slice(0, namedMax).map(({ profileId }) => profileId);
  const more = taken.length > namedMax ? ` and ${taken.length - namedMax} more` : "";
  const have = taken.length === 1 ? "has" : "have";
  throw new Fault(
    "conflict",
    `profile ${named.join(", ")}${more} ${have} a dataset in the ${slot} slot already (${JSON.stringify(first.datasetName)}); force true replaces it`,
    { profileIds: taken.map(({ profileId }) => profileId) },
  );
}

function takeBack(sql: Writer, filled: readonly FilledSlot[]): void {
  for (const position of new Set(filled.map(({ dataset }) => dataset))) {
    const profileIds = filled.filter(({ dataset }) => dataset === position).map(({ profileId }) => profileId);
    const dataset = datasetAt(sql, position);
    settleRows(sql, dataset, [...rowsOfProfiles(sql, dataset, profileIds).values()], "free");
  }
}

export function returnRowsOf(sql: Writer, profileIds: readonly string[]): void {
  takeBack(sql, slotsOfProfiles(sql, profileIds));
}

/** Assigns a row to each profile. Throws `conflict` if there are too few. */
function giveRows(sql: Writer, dataset: StoredDataset, profileIds: readonly string[]): void {
  const free = freeRows(dataset);
  if (free < profileIds.length) {
    throw new Fault(
      "conflict",
      `dataset ${dataset.id} has ${free} unassigned rows, ${profileIds.length} are needed: one for each profile; append rows first`,
    );
  }
  const rows = nextFree(sql, dataset, profileIds.length);
  const holds = profileIds.map((profileId, index) => ({ row: rows[index] ?? 0, profileId }));
  holdRows(sql, dataset, holds, null);
}

export function datasetSlotsArea(
  { database }: LibraryContext,
  list: ProfileList,
): Pick<LibraryApi, "assignDataset" | "unassignDataset"> {
  return {
    assignDataset: ({ datasetId, force, ...input }) =>
      database.write((sql) => {
        const found = existingDataset(sql, datasetId);
        const slot = slotOf(found);
        const profileIds = distinctIds(input.profileIds);
        refuseUnknown(sql, profileIds);
        const taken = slotsOfProfiles(sql, profileIds).filter((filled) => filled.slot === slot);
        if (!force) refuseTaken(taken, slot);
        const keep = new Set(
          taken.filter(({ dataset }) => dataset === found.position).map(({ profileId }) => profileId),
        );
        const fresh = profileIds.filter((profileId) => !keep.has(profileId));
        if (slot === "identity") {
          takeBack(
            sql,
            taken.filter(({ profileId }) => !keep.has(profileId)),
          );
          giveRows(sql, existingDataset(sql, datasetId), fresh);
        }
        fillSlots(sql, found.position, slot, fresh);
        const rows = slot === "identity" ? rowsOfProfiles(sql, found, profileIds) : new Map<string, number>();
        const dataset = datasetNow(sql, found);
        const assigned = profileIds.map((profileId) => ({ profileId, row: rows.get(profileId) ?? null }));
        showDatasets(sql, list, fresh);
        return { assigned, dataset };
      }),
    unassignDataset: ({ datasetId, ...input }) =>
      database.write((sql) => {
        const found = existingDataset(sql, datasetId);
        const profileIds = distinctIds(input.profileIds);
        refuseUnknown(sql, profileIds);
        const filled = slotsOfProfiles(sql, profileIds).filter(({ dataset }) => dataset === found.position);
        const had = new Set(filled.map(({ profileId }) => profileId));
        const unassigned = profileIds.filter((profileId) => had.has(profileId));
        takeBack(sql, filled);
        emptySlots(sql, found.position, unassigned);
        const dataset = datasetNow(sql, found);
        showDatasets(sql, list, unassigned);
        return { unassigned, dataset };
      }),
  };
}
