/** The state of storage, for health and metrics. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { snapshotName } from "../../storage/snapshot.ts";
import { countRuns } from "../../storage/tables/runs.ts";
import type { LibraryContext } from "./context.ts";

export function storageStateArea({ database, dataDir }: LibraryContext): Pick<LibraryApi, "storageState"> {
  return {
    async storageState() {
      const snapshotAt = await stat(join(dataDir.root, snapshotName)).then(
        ({ mtime }) => mtime.toISOString(),
        () => null,
      );
      const { refusal, journalBytes } = database;
      return { refusal, journalBytes, snapshotAt, runs: await database.read(countRuns) };
    },
  };
}
