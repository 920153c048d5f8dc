/** Starts the library, the only owner of storage, on its thread. */
import { libraryChecks } from "../../protocol/generated/messages/library.ts";
import type { LibraryApi, LibraryConfig } from "../../protocol/messages/library.ts";
import { type Disk, nodeDisk } from "../../storage/disk.ts";
import { restoreBackup } from "../../storage/restore.ts";
import { type ActorContext, hostActor } from "../kernel/host.ts";
import { createLibrary } from "./library.ts";

export async function startLibrary(
  { config, clock, log }: ActorContext<LibraryConfig>,
  disk: Disk = nodeDisk,
) {
  const { dataDir, restore } = config;
  const restored = restore && (await restoreBackup(restore.file, dataDir, restore.passphrase));
  try {
    return await createLibrary({ dataDir, clock, disk, warn: (message) => log.warn(message) });
  } catch (error) {
    await restored?.undo();
    throw error;
  }
}

hostActor<LibraryConfig, LibraryApi>("library", libraryChecks, startLibrary);
