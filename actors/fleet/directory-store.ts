/** Archives in a directory that all machines mount. */
import { randomUUID } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { access, copyFile, mkdir, open, rename, rm, rmdir } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import { notStored, type ObjectStore } from "./object-store.ts";

/** In the directory: an unmounted one, which is empty, has none. */
const markName = "troupe-fleet";

/** Makes the directory a store; `isNew`: it was none before, and is none again after `unmark`. Throws `invalid`. */
export async function markDirectory(root: string): Promise<{ isNew: boolean; unmark(): Promise<void> }> {
  refuseRelative(root);
  const mark = join(root, markName);
  try {
    const made = await mkdir(root, { mode: 0o700 }).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
        return false;
      },
    );
    const isNew = !existsSync(mark);
    await (await open(mark, "a", 0o600)).close();
    await access(root, constants.W_OK);
    return {
      isNew,
      async unmark() {
        if (!isNew) return;
        await rm(mark, { force: true });
        if (made) await rmdir(root).catch(() => {}); // Something is in it.
      },
    };
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      throw new Fault("invalid", `--archives dir: needs ${dirname(root)} to be there; mount or create it`);
    throw new Fault("invalid", `--archives: ${wordsOf(error, root)}`);
  }
}

function refuseRelative(root: string): void {
  if (!isAbsolute(root)) throw new Fault("invalid", `--archives dir: needs an absolute path, got "${root}"`);
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Throws `invalid`. */
export function openDirectory(root: string): ObjectStore {
  refuseRelative(root);
  const away = () => new Fault("internal", `the archive store ${root} is away: mount it on this machine`);
  const asking = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!existsSync(join(root, markName))) throw away();
    try {
      return await work();
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw new Fault("internal", wordsOf(error, root));
    }
  };
  return {
    place: root,
    load: async () => {},
    put: ({ key }, file) =>
      asking(async () => {
        const to = join(root, key);
        const draft = `${to}.${randomUUID()}.new`;
        await mkdir(dirname(to), { recursive: true, mode: 0o700 });
        try {
          await copyFile(file, draft, constants.COPYFILE_FICLONE);
          const handle = await open(draft);
          try {
            await handle.sync();
          } finally {
            await handle.close();
          }
          await rename(draft, to);
          await syncDir(dirname(to));
        } catch (error) {
          await rm(draft, { force: true });
          throw error;
        }
      }),
    get: ({ key }, file) =>
      asking(async () => {
        try {
          await copyFile(join(root, key), file, constants.COPYFILE_FICLONE);
        } catch (error) {
          if (codeOf(error) !== "ENOENT" || !existsSync(dirname(file))) throw error;
          // The directory may have gone away since.
          throw existsSync(join(root, markName)) ? notStored(key, root) : away();
        }
      }),
    remove: (key) =>
      asking(async () => {
        await rm(join(root, key), { force: true });
        await rmdir(dirname(join(root, key))).catch(() => {}); // Other archives are in it.
      }),
  };
}

/** So that a power cut does not take a new name. Not every file system can. */
async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir).catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

const reasons: Record<string, string> = {
  ENOSPC: "has no space left",
  EDQUOT: "is over its quota",
  EACCES: "does not let this user write",
  EPERM: "does not let this user write",
  EROFS: "is read-only",
  ESTALE: "is away: mount it on this machine again",
  EIO: "fails to read or write",
  ENOTDIR: "is no directory",
};

function wordsOf(error: unknown, root: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `the archive store ${root} ${reasons[code ?? ""] ?? `fails: ${message}`}`;
}
