/** Two hundred profiles at a concurrency of eight, of which a third throw, and some hang, crash or leave dialogs open. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccounted, endService, mixedBatch } from "../mixed-batch.ts";

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "troupe-mixed-"));
});
after(async () => {
  await endService();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
});

test("a batch of two hundred mixed profiles ends with each accounted for, and leaves no process", async () => {
  const given = { concurrency: 8, timeoutMs: 20_000, waitMs: 20 * 60_000 };
  const { batch, crashed } = await mixedBatch(dataDir, 200, given);
  assertAccounted(batch, 200);
  assert.ok(crashed > 0);
});
