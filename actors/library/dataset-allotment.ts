/** Dataset allotments for new profiles: a row of a fixed dataset, or a consume dataset in the Content slot. */
import { Fault } from "../../protocol/faults.ts";
import type { NewProfiles } from "../../protocol/messages/library.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { freeRows, holdRows, nextFree } from "../../storage/tables/dataset-marks.ts";
import { datasetAt, type StoredDataset } from "../../storage/tables/datasets.ts";
import { fillSlots } from "../../storage/tables/profile-datasets.ts";
import type { Allotment } from "./allotment.ts";
import type { LibraryContext } from "./context.ts";
import { existingDataset } from "./datasets.ts";

function datasetFor(
  sql: Reader,
  field: string,
  mode: StoredDataset["mode"],
  datasetId: string | undefined,
): StoredDataset | null {
  if (datasetId === undefined) return null;
  const dataset = existingDataset(sql, datasetId);
  if (dataset.mode === mode) return dataset;
  throw new Fault(
    "invalid",
    `${field} must name a ${mode} dataset, got the ${dataset.mode} dataset ${datasetId}`,
  );
}

/** protocol/README.md, "Create profiles": `identity_dataset_id`. Throws `not-found`, `invalid` (wrong mode, too few rows). */
export function identityAllotment(_room: LibraryContext, sql: Reader, input: NewProfiles): Allotment | null {
  const dataset = datasetFor(sql, "identity_dataset_id", "fixed", input.identityDatasetId);
  if (dataset === null) return null;
  const [free, wanted] = [freeRows(dataset), input.devices.length];
  if (free < wanted) {
    throw new Fault(
      "invalid",
      `identity_dataset_id must name a dataset with a row for each profile: ${dataset.id} has ${free} unassigned rows, ${wanted} are needed; append rows or create fewer profiles`,
    );
  }
  return {
    offer(sql) {
      // Read again, because the profiles before this one have taken rows.
      const now = datasetAt(sql, dataset.position);
      const [row] = nextFree(sql, now, 1);
      if (row === undefined) throw new Fault("conflict", `dataset ${dataset.id} has no unassigned row left`);
      return {
        profile: {},
        reply: {},
        settle(sql, { id: profileId }) {
          holdRows(sql, now, [{ row, profileId }], null);
          fillSlots(sql, dataset.position, "identity", [profileId]);
        },
      };
    },
  };
}

/** protocol/README.md, "Create profiles": `content_dataset_id`. Runs take its rows. Throws `not-found`, `invalid` (wrong mode). */
export function contentAllotment(_room: LibraryContext, sql: Reader, input: NewProfiles): Allotment | null {
  const dataset = datasetFor(sql, "content_dataset_id", "consume", input.contentDatasetId);
  if (dataset === null) return null;
  return {
    offer: () => ({
      profile: {},
      reply: {},
      settle: (sql, { id }) => fillSlots(sql, dataset.position, "content", [id]),
    }),
  };
}
