/** A service whose log has no reader any more goes on, and so do its browsers. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { beginServe } from "./serve.ts";

test("a log whose reader has ended does not end the service", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-log-"));
  const env = { ...process.env, TROUPE_LOG: "debug" };
  const { child, ready, ended } = beginServe(dir, ["--mint", "log"], env);
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(dir, { recursive: true, force: true });
  });
  const { apiUrl, token = "" } = await ready;
  child.stderr?.destroy();
  for (let call = 0; call < 5; call += 1) {
    const reply = await fetch(`${apiUrl}/v1/capacity`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(reply.status, 200);
  }
  assert.equal(child.exitCode, null);
});
