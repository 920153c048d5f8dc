/** The private directory of one runner. A runner starts before its run is known, so its files move to the run's directory at the end. */
import { copyFile, mkdir, mkdtemp, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { limits } from "../../protocol/limits.ts";

export interface Workspace {
  root: string;
  scratchDir: string;
  tempDir: string;
}

/** Creates a workspace in `baseDir`, which the service empties at its start. */
export async function createWorkspace(baseDir: string): Promise<Workspace> {
  await mkdir(baseDir, { recursive: true, mode: 0o700 });
  // The permission model compares real paths.
  const root = await realpath(await mkdtemp(path.join(baseDir, "script-")));
  const workspace = { root, scratchDir: path.join(root, "scratch"), tempDir: path.join(root, "temp") };
  await mkdir(workspace.scratchDir);
  await mkdir(workspace.tempDir);
  return workspace;
}

/** Removes the workspace with its files. */
export async function removeWorkspace(workspace: Workspace): Promise<void> {
  await rm(workspace.root, { recursive: true, force: true });
}

/** Moves the regular files of the scratch directory to `targetDir`; returns their absolute paths, sorted. Links stay behind. */
export async function collectFiles(workspace: Workspace, targetDir: string): Promise<string[]> {
  const files: string[] = [];
  const entries = await readdir(workspace.scratchDir, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || files.length >= limits.scriptFilesMax) continue;
    const from = path.join(entry.parentPath, entry.name);
    const to = path.join(targetDir, path.relative(workspace.scratchDir, from));
    await mkdir(path.dirname(to), { recursive: true });
    // A rename fails between file systems.
    await rename(from, to).catch(() => copyFile(from, to));
    files.push(to);
  }
  if (files.length === 0) await rmdir(targetDir).catch(() => undefined);
  return files.sort();
}
