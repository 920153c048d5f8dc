/**
 * The private directory of one runner: its scratch directory and its libraries' temporary files.
 *
 * A runner is started before anyone knows for which run, and what it may write to is fixed at its start; so it writes
 * here, and what it leaves is moved to the run's directory at the end.
 */
import { copyFile, mkdir, mkdtemp, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { limits } from "../../protocol/limits.ts";

export interface Workspace {
  root: string;
  scratchDir: string;
  tempDir: string;
}

const prefix = "troupe-script-";

/** Makes a fresh one, named after the process that owns it. */
export async function createWorkspace(): Promise<Workspace> {
  // The permission model compares real paths.
  const root = await realpath(await mkdtemp(path.join(tmpdir(), `${prefix}${process.pid}-`)));
  const workspace = { root, scratchDir: path.join(root, "scratch"), tempDir: path.join(root, "temp") };
  await mkdir(workspace.scratchDir);
  await mkdir(workspace.tempDir);
  return workspace;
}

/** Removes the directory and all in it. */
export async function removeWorkspace(workspace: Workspace): Promise<void> {
  await rm(workspace.root, { recursive: true, force: true });
}

/** Removes workspaces whose owner is gone: what a killed service left. Touches no directory of a living process. */
export async function sweepWorkspaces(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-")[0]) : Number.NaN;
    if (Number.isInteger(owner) && owner > 0 && !isAlive(owner))
      await rm(path.join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that there is one, of another user.
    return error instanceof Error && "code" in error && error.code !== "ESRCH";
  }
}

/**
 * Moves the regular files of the scratch directory to `targetDir`, and answers their new absolute paths, sorted. Links
 * and devices stay behind. A target directory that would be empty is removed.
 */
export async function collectFiles(workspace: Workspace, targetDir: string): Promise<string[]> {
  const files: string[] = [];
  const entries = await readdir(workspace.scratchDir, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || files.length >= limits.scriptFilesMax) continue;
    const from = path.join(entry.parentPath, entry.name);
    const to = path.join(targetDir, path.relative(workspace.scratchDir, from));
    await mkdir(path.dirname(to), { recursive: true });
    // Between file systems a rename fails, and copying is what is left.
    await rename(from, to).catch(() => copyFile(from, to));
    files.push(to);
  }
  if (files.length === 0) await rmdir(targetDir).catch(() => undefined);
  return files.sort();
}
