/** The service's log: a file beside stderr, and the request's id from the reply's header through the threads. */
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { failed } from "../../gateway/cli/output.ts";
import { startService } from "../../gateway/startup.ts";
import { startTestService, type TestService } from "./running.ts";
import { until } from "./serve.ts";

let app: TestService;
before(async () => {
  process.env.TROUPE_LOG = "debug";
  app = await startTestService();
});
after(async () => {
  delete process.env.TROUPE_LOG;
  await app.stop();
});

const fileText = () => readFileSync(join(app.dataDir, "logs", "troupe.log"), "utf8");

test("a reply's request id is in the lines of each thread that worked for it, on stderr and in the file", async () => {
  const { headers } = await app.client.get("/v1/runs");
  const id = String(headers["x-request-id"]);
  assert.match(id, /^[0-9a-f]{6}-[0-9a-z]+$/);
  const scopes = (text: string) =>
    text
      .split("\n")
      .filter((line) => line.includes(`"request":"${id}"`))
      .map((line) => JSON.parse(line).scope);
  for (const text of [() => app.log.join(""), fileText])
    await until("lines of both threads", () =>
      ["gateway", "library"].every((scope) => scopes(text()).includes(scope)),
    );
});

test("a caller's own id is not taken, and a refusal carries one too", async () => {
  const { status, headers } = await app.client.get("/v1/nothing", { headers: { "x-request-id": "mine" } });
  assert.equal(status, 404);
  assert.match(String(headers["x-request-id"]), /^[0-9a-f]{6}-/);
});

test("the file contains no token", async () => {
  await app.client.post("/v1/profiles", { count: 1 });
  await until("the call's end", () => fileText().includes("/v1/profiles"));
  assert.ok(!fileText().includes(app.token));
});

test("a start with an unknown word in TROUPE_LOG fails as wrong usage", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  process.env.TROUPE_LOG = "debug:pols";
  const nothing = { apiOn: false, port: null, browsersMax: null, expensiveCallsMax: null, mint: null };
  const error = await startService({ dataDir, ...nothing }).catch((error: unknown) => error);
  process.env.TROUPE_LOG = "debug";
  rmSync(dataDir, { recursive: true });
  assert.match(String(error), /TROUPE_LOG must be .*pool.*, got "debug:pols"/);
  assert.equal(failed(error), 2);
});
