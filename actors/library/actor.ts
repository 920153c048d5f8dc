/** The library thread: the only owner of storage. When the disk refuses, the thread ends and is started anew from what is on it. */
import { libraryChecks } from "../../protocol/generated/messages.ts";
import type { LibraryApi, LibraryConfig } from "../../protocol/messages/library.ts";
import { type Disk, nodeDisk } from "../../storage/disk.ts";
import { type ActorContext, hostActor } from "../kernel/host.ts";
import { createLibrary } from "./library.ts";

/** The library on its thread. */
export function startLibrary(
  { config, clock, log, exit }: ActorContext<LibraryConfig>,
  disk: Disk = nodeDisk,
) {
  return createLibrary({
    dataDir: config.dataDir,
    clock,
    disk,
    warn: (message) => log.warn(message),
    broken(error) {
      log.error("the disk refused; the thread ends", { error });
      // After the answers to those who waited have left: what they are told is why, not that a thread ended.
      clock.timer(0, () => exit(1));
    },
  });
}

hostActor<LibraryConfig, LibraryApi>("library", libraryChecks, startLibrary);
