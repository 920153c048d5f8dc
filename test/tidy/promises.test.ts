/** The lint finds promises that are never awaited, also behind `void`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const planted = `async function work(): Promise<void> {}
declare const feed: { on(event: "gone", listener: () => void): void };
work();
void work();
feed.on("gone", async () => work());
work().catch(() => {});
`;

test("the lint finds a promise that is not awaited, and accepts one whose rejection is handled", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "troupe-test-"));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "planted.ts"), planted);
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions: { types: [] } }));
  const args = ["node_modules/oxlint/bin/oxlint", "-c", ".oxlintrc.json", "--type-aware", "-f", "unix", dir];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const found = [...stdout.matchAll(/planted\.ts:(\d+):.*\((no-\w+-promises)\)/g)].map((hit) => hit.slice(1));
  assert.deepEqual(found.sort(), [
    ["3", "no-floating-promises"],
    ["4", "no-floating-promises"],
    ["5", "no-misused-promises"],
  ]);
});
