/** The library thread: the only owner of storage. */
import { libraryChecks } from "../../protocol/generated/messages.ts";
import type { LibraryApi, LibraryConfig } from "../../protocol/messages/library.ts";
import { type Disk, nodeDisk } from "../../storage/disk.ts";
import { type ActorContext, hostActor } from "../kernel/host.ts";
import { createLibrary } from "./library.ts";

/** The library on its thread. */
export function startLibrary({ config, clock, log }: ActorContext<LibraryConfig>, disk: Disk = nodeDisk) {
  return createLibrary({ dataDir: config.dataDir, clock, disk, warn: (message) => log.warn(message) });
}

hostActor<LibraryConfig, LibraryApi>("library", libraryChecks, startLibrary);
