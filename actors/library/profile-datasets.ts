/** What the list of profiles shows of datasets: the name of the one in each slot. */
import type { Profile } from "../../protocol/records.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { type FilledSlot, readSlots } from "../../storage/tables/profile-datasets.ts";

/** What a profile's record shows: the names of its datasets. */
export type ListedDatasets = Pick<Profile, "identityDataset" | "contentDataset">;

/** By profile; one without any is left out. */
export function listedOf(slots: readonly FilledSlot[]): Map<string, ListedDatasets> {
  const listed = new Map<string, ListedDatasets>();
  for (const { profileId, slot, datasetName } of slots) {
    const key = slot === "identity" ? "identityDataset" : "contentDataset";
    listed.set(profileId, { ...listed.get(profileId), [key]: datasetName });
  }
  return listed;
}

/** Of every profile that has any. */
export function listedDatasets(sql: Reader): Map<string, ListedDatasets> {
  return listedOf(readSlots(sql));
}
