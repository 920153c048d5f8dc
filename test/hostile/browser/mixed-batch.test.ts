/** A batch of profiles that throw, hang, crash and leave dialogs open ends with each accounted for. 200 of them: mixed-batch-long. */
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

test("a batch of twelve mixed profiles ends with each accounted for, and leaves no process", async () => {
  const given = { concurrency: 4, timeoutMs: 20_000, waitMs: 110_000 };
  const { batch, crashed } = await mixedBatch(dataDir, 12, given);
  assertAccounted(batch, 12);
  assert.equal(crashed, 1);
});
