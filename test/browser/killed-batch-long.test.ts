/** The service is killed three times during a batch, and every profile is counted exactly once. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Killable, killedBatch } from "../../bench/batch/killed-batch.ts";
import { createClient } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { processesNaming, serve, troupe, until } from "../gateway/serve.ts";

test("a batch continues after each kill -9 of the service, and its counts are right", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "troupe-killed-"));
  let starts = 0;
  const start = async (): Promise<Killable> => {
    await until("every process of the killed service has ended", () => processesNaming(dataDir).length === 0);
    starts += 1;
    const served = await serve(dataDir, "--mint", `t${starts}`, "--rate-limit", "0");
    const client = await createClient(served.apiUrl, served.token);
    const answered = async (reply: { status: number; body: unknown }) => {
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return Object(reply.body); // The client has validated it against the OpenAPI document.
    };
    return {
      get: async (path) => answered(await client.get(path)),
      post: async (path, body) => answered(await client.post(path, body)),
      createProfiles: (count) => createProfiles(client, count),
      approve: async (scriptId) => {
        assert.equal((await troupe("script", "approve", scriptId, "--data", dataDir)).code, 0);
      },
      kill: async () => {
        await client.close();
        await served.end("SIGKILL");
      },
    };
  };
  const { findings, run, killedAt, service } = await killedBatch({
    profiles: 9,
    concurrency: 3,
    kills: 3,
    start,
  });
  await service.kill();
  await until("no browser is left", () => processesNaming(dataDir).length === 0);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  assert.deepEqual(findings, [], `killed when ${killedAt} of 9 had ended; ${JSON.stringify(run)}`);
  assert.equal(killedAt.length, 3);
});
