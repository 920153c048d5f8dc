/** Signals that Node or the system act on by default neither open the service nor end it without a stop. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Served, serve } from "../gateway/serve.ts";

let dataDir: string;
let served: Served;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "troupe-signals-"));
  served = await serve(dataDir);
});
after(() => rm(dataDir, { recursive: true, force: true }));

test("SIGUSR1 opens no inspector, SIGUSR2 ends nothing, and SIGQUIT is an orderly stop", async () => {
  const answers = async () => (await fetch(`${served.apiUrl}/v1/capacity`)).status;
  assert.equal(await answers(), 401);
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.kill(served.pid, signal);
  assert.equal(await answers(), 401);
  assert.equal((await served.end("SIGQUIT")).code, 0);
  assert.doesNotMatch(served.stderr(), /Debugger listening/);
});
