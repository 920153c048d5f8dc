/** Deletes scripts, datasets and runs that nothing uses. */
import { join } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { datasetUser, removeDataset } from "../../storage/tables/datasets.ts";
import { removeRun } from "../../storage/tables/runs.ts";
import { removeScript, scriptUser } from "../../storage/tables/scripts.ts";
import type { LibraryContext } from "./context.ts";
import { existingDataset } from "./datasets.ts";
import { existingRun } from "./runs.ts";
import { existingScript } from "./scripts.ts";

type RemovalCalls = "deleteScript" | "deleteDataset" | "deleteRun";

/** By the first word of a user. */
const remedies: Record<string, string> = {
  schedule: "delete it first",
  profile: "unassign it",
  run: "cancel it, or wait until it has ended",
};

function refuseUsed(what: string, user: string | null): void {
  if (user === null) return;
  throw new Fault("conflict", `${user} uses ${what}; ${remedies[user.split(" ")[0] ?? ""]}`);
}

export function removalsArea({ database, disk, dataDir }: LibraryContext): Pick<LibraryApi, RemovalCalls> {
  return {
    deleteScript: ({ scriptId }) =>
      database.write((sql) => {
        const { id, origin, name } = existingScript(sql, scriptId);
        if (origin === "app")
          throw new Fault(
            "conflict",
            `script ${scriptId} (${name}) was written in the application; delete it there`,
          );
        refuseUsed(`script ${scriptId}`, scriptUser(sql, id));
        removeScript(sql, id);
        return null;
      }),
    deleteDataset: ({ datasetId }) =>
      database.write((sql) => {
        const { position } = existingDataset(sql, datasetId);
        refuseUsed(`dataset ${datasetId}`, datasetUser(sql, position));
        removeDataset(sql, position);
        return null;
      }),
    async deleteRun({ runId }) {
      const id = await database.write((sql) => {
        const { run } = existingRun(sql, runId);
        if (run.status === "running")
          throw new Fault("conflict", `run ${runId} is in progress; cancel it, or wait until it has ended`);
        removeRun(sql, run.id);
        return run.id;
      });
      await disk.removeTree(join(dataDir.runs, id)); // After a crash, housekeeping removes a directory without a run.
      return null;
    },
  };
}
