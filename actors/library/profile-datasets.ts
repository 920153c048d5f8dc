/** The dataset names that a profile's record shows. */
import type { Profile } from "../../protocol/records.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { type FilledSlot, readSlots } from "../../storage/tables/profile-datasets.ts";

export type ListedDatasets = Pick<Profile, "identityDataset" | "contentDataset">;

export function listedOf(slots: readonly FilledSlot[]): Map<string, ListedDatasets> {
  const listed = new Map<string, ListedDatasets>();
  for (const { profileId, slot, datasetName } of slots) {
    const key = slot === "identity" ? "identityDataset" : "contentDataset";
    listed.set(profileId, { ...listed.get(profileId), [key]: datasetName });
  }
  return listed;
}

export function listedDatasets(sql: Reader): Map<string, ListedDatasets> {
  return listedOf(readSlots(sql));
}
