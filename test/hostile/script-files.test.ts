/** A script's disk usage is counted while it runs, however it hides files. The files here are sparse. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, open, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { overfull } from "../../actors/script/stored.ts";
import { createWorkspace, type Workspace } from "../../actors/script/workspace.ts";
import { limits } from "../../protocol/limits.ts";

let dir: string;
let workspace: Workspace;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  workspace = await createWorkspace(dir);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const half = limits.scratchBytesMax / 2;

async function longFile(path: string, bytes: number): Promise<void> {
  await writeFile(path, "");
  await truncate(path, bytes);
}

test("both directories count, with everything below and beside them", async () => {
  const { scratchDir, tempDir, root } = workspace;
  await mkdir(join(scratchDir, "a", "b"), { recursive: true });
  await longFile(join(scratchDir, "a", "b", "file"), half);
  await longFile(join(tempDir, "file"), half);
  assert.equal(await overfull(workspace, null), null);
  await writeFile(join(root, "beside"), "x");
  assert.equal(await overfull(workspace, null), "the script kept more than 256 MiB of files");
});

test("a deleted file that is still open counts", async () => {
  const path = join(workspace.scratchDir, "file");
  await longFile(path, limits.scratchBytesMax + 1);
  const file = await open(path);
  await rm(path);
  assert.match((await overfull(workspace, process.pid)) ?? "", /more than 256 MiB/);
  await file.close();
  assert.equal(await overfull(workspace, process.pid), null);
});

test("the number of files, directories and links is limited, even if they are empty", async () => {
  const { scratchDir } = workspace;
  const names = Array.from({ length: limits.scratchEntriesMax / 3 + 1 }, (_, index) =>
    join(scratchDir, `${index}`),
  );
  for (const name of names)
    await Promise.all([writeFile(`${name}f`, ""), mkdir(`${name}d`), symlink("/", `${name}l`)]);
  assert.equal(await overfull(workspace, null), "the script kept more than 2000 files");
});

test("links are not followed", async () => {
  await longFile(join(dir, "elsewhere"), limits.scratchBytesMax + 1);
  await symlink(join(dir, "elsewhere"), join(workspace.scratchDir, "link"));
  await symlink(dir, join(workspace.scratchDir, "directory"));
  assert.equal(await overfull(workspace, null), null);
});
