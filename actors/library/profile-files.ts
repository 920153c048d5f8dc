/** Who may touch the files of a profile: copies, restores and deletions take turns, and a browser waits for a restore. */
import { existsSync, renameSync } from "node:fs";
import { rename } from "node:fs/promises";
import { systemFault } from "../../protocol/disk-fault.ts";
import { Fault } from "../../protocol/faults.ts";
import type { DataDir } from "../../storage/data-dir.ts";
import type { Disk } from "../../storage/disk.ts";
import { whileClosed } from "../../storage/profile-copy.ts";

export interface ProfileFiles {
  /** How many browsers have opened the profile since this thread began. */
  openings(profileId: string): number;
  /** For a browser that is about to start: waits for changes of the files. */
  open(profileId: string): Promise<void>;
  /** Runs `work` after the profile's earlier turns. Throws `conflict` when a browser has opened it meanwhile, or since `openings`. */
  closed<T>(profileId: string, work: () => Promise<T>, wish?: Wish): Promise<T>;
  /** Runs `work` after the profile's earlier turns, whether it is open or not. Browsers wait for it, unless it `onlyReads`. */
  alone<T>(profileId: string, work: () => Promise<T>, onlyReads?: boolean): Promise<T>;
}

interface Wish {
  openings?: number | undefined;
  /** Whether browsers wait for it. */
  changes?: boolean;
}

/** Where a restore leaves the files that it replaces, until the new ones are in place. */
const replacedDir = (userDataDir: string) => `${userDataDir}.replaced`;

export function createProfileFiles({ userData }: Pick<DataDir, "userData">): ProfileFiles {
  const openings = new Map<string, number>();
  const last = new Map<string, Promise<void>>();
  const changing = new Map<string, Promise<void>>();
  const countOf = (id: string) => openings.get(id) ?? 0;

  const inTurn = <T>(id: string, changes: boolean, work: () => Promise<T>): Promise<T> => {
    const mine = Promise.resolve(last.get(id)).then(() => {
      settle(userData(id));
      return work();
    });
    const places = changes ? [last, changing] : [last];
    const leave = () => {
      for (const turns of places) if (turns.get(id) === over) turns.delete(id);
    };
    const over = mine.then(leave, leave);
    for (const turns of places) turns.set(id, over);
    return mine;
  };
  return {
    openings: countOf,
    async open(id) {
      for (let change = changing.get(id); change !== undefined; change = changing.get(id)) await change;
      openings.set(id, countOf(id) + 1);
      settle(userData(id));
    },
    closed(id, work, { openings: before = countOf(id), changes = false } = {}) {
      const refuseOpened = () => {
        if (countOf(id) !== before)
          throw new Fault("conflict", `profile ${id} was opened meanwhile; stop it and try again`);
      };
      return inTurn(id, changes, async () => {
        refuseOpened();
        const value = await whileClosed(userData(id), id, work).catch((error: unknown) => {
          throw systemFault(error, userData(id)); // A disk that is full is named, with the remedy.
        });
        refuseOpened();
        return value;
      });
    },
    alone: (id, work, onlyReads = false) => inTurn(id, !onlyReads, work),
  };
}

/** A service that was killed during a restore has left the profile without its directory. Takes microseconds, so it may block. */
function settle(userDataDir: string): void {
  if (existsSync(userDataDir)) return;
  try {
    renameSync(replacedDir(userDataDir), userDataDir);
  } catch (error) {
    ifMissing(error as NodeJS.ErrnoException);
  }
}

/** Puts the files of `fresh` in the place of the profile's. Throws what the disk refuses; the next turn then has the old files. */
export async function replaceProfileFiles(
  disk: Pick<Disk, "removeTree">,
  userDataDir: string,
  fresh: string,
): Promise<void> {
  const old = replacedDir(userDataDir);
  await disk.removeTree(old);
  await rename(userDataDir, old).catch(ifMissing);
  await rename(fresh, userDataDir);
  await disk.removeTree(old);
}

function ifMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
