/** Which spare thread the next launch gets, on real threads without a browser. */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "../../actors/kernel/log.ts";
import { createSpares } from "../../actors/pool/spares.ts";

test("the next launch gets the last used thread, then one that was started ahead", async (t) => {
  const tempDir = mkdtempSync(join(tmpdir(), "troupe-test-"));
  const engine = {
    chromiumPath: "/nowhere/chromium",
    tempDir,
    hasDisplay: false,
    launchesAtOnce: 2,
  };
  const spares = createSpares({ engine }, 1, createLog("test"));
  t.after(async () => {
    await spares.close();
    await rm(tempDir, { recursive: true, force: true });
  });
  const [first, second] = [spares.take(), spares.take()];
  await spares.takenStarted();
  spares.giveBack(first);
  spares.giveBack(second);
  assert.equal(spares.take(), second);
  assert.equal(spares.take(), first);
  spares.refill();
  const fresh = spares.idle();
  spares.giveBack(first);
  assert.equal(spares.take(), first);
  assert.equal(spares.take(), fresh);
  for (const thread of [first, second, fresh]) await thread?.terminate();
});
