/** A DSL script from the application to a run over the API, on a real profile, with both libraries. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";

interface Ended {
  run: { id: string; status: string };
  profiles: { error: string | null; output: unknown[]; log: string[] }[];
}

let app: TestService;
let own: AppApi;
before(async () => {
  app = await startTestService();
  const instance = readInstance(app.dataDir);
  assert.ok(instance);
  own = connectApp(instance);
});
after(() => app.stop());

const dsl = {
  dslVersion: "1.0",
  name: "Greet",
  inputs: {
    variables: [
      { name: "who", required: true },
      { name: "greeting", default: "Hello" },
    ],
  },
  outputs: [{ name: "said" }],
  steps: [
    {
      id: "open",
      kind: "navigate",
      url: "data:text/html,<input aria-label=Name><button onclick=\"out.textContent = document.querySelector('input').value\">Say</button><p id=out></p>",
    },
    {
      id: "name",
      kind: "type",
      target: { by: "label", value: "Name" },
      text: "{{ greeting }} {{ who }}, {{ profile.name }} ({{ profile.id }}) in run {{ run.id }}",
    },
    { id: "say", kind: "click", target: { by: "role", role: "button", name: "Say" } },
    { id: "read", kind: "extractText", target: { by: "css", value: "#out" }, saveTo: "said" },
    { id: "keep", kind: "output", values: { said: "{{ said }}" } },
  ],
};

async function ended(body: object): Promise<Ended> {
  const reply = await app.client.post("/v1/scripts/run", body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const path = `/v1/runs/${(reply.body as { id: string }).id}/profiles`;
  let last: Ended | null = null;
  await until("the run has ended", async () => {
    last = (await app.client.get(path)).body as Ended;
    return last.run.status !== "running";
  });
  assert.ok(last !== null);
  return last;
}

test("a DSL script runs as its compiled code, and fails with that code's error", async () => {
  const [profile] = await createProfiles(app.client, 1);
  await app.client.post(`/v1/profiles/${profile}/launch`, { headless: true });
  for (const target of ["playwright", "puppeteer"] as const) {
    const { scriptId } = await own.saveDslScript({
      name: null,
      description: "",
      dsl,
      target,
      scriptId: null,
    });
    const body = { script_id: scriptId, profile_ids: [profile], variables: { who: "Ada" } };
    const { run, profiles } = await ended(body);
    assert.deepEqual([run.status, profiles[0]?.error], ["completed", null], target);
    assert.deepEqual(profiles[0]?.output, [{ said: `Hello Ada, Profile 1 (${profile}) in run ${run.id}` }]);
    if (target === "puppeteer") {
      const without = await ended({ script_id: scriptId, profile_ids: [profile] });
      assert.equal(without.run.status, "failed");
      assert.match(without.profiles[0]?.error ?? "", /^the variable "who" is required/);
    }
  }
});
