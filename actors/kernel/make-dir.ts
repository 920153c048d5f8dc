/** Makes directories with their parents. Node's `recursive` reports ENOENT for a disk without inodes. */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes the directory, mode 0700, and its parents. False if it is there already. Throws the error of the call that failed. */
export async function makeDirs(dir: string): Promise<boolean> {
  const failure = await failureToMake(dir);
  if (failure === null) return true;
  if (codeOf(failure) === "ENOENT" && dirname(dir) !== dir) {
    await makeDirs(dirname(dir));
    const again = await failureToMake(dir);
    if (again === null) return true;
    if (codeOf(again) !== "EEXIST") throw again; // Another call may have made it meanwhile.
  }
  if (await isDirectory(dir)) return false;
  throw failure;
}

function failureToMake(dir: string): Promise<unknown> {
  return mkdir(dir, { mode: 0o700 }).then(
    () => null,
    (error: unknown) => error,
  );
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
