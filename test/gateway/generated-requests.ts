/** Sends random requests to the API, MCP and the application, and validates every reply. */
import assert from "node:assert/strict";
import { request } from "undici";
import { readInstance } from "../../gateway/instance.ts";
import { appChecks } from "../../protocol/generated/messages/app.ts";
import { createRandom } from "../seeded-random.ts";
import { type ApiDocument, createRequestMaker, type RequestMaker } from "./request-maker.ts";
import { createProfiles, type TestService } from "./running.ts";

const inFlight = 8;
const shownFailures = 12;

const leftOut = new Set(["apiOff", "apiOn", "showWindow", "revokeToken", "openLink", "changeSettings"]);
const appMethods = Object.keys(appChecks).filter((name) => !leftOut.has(name));

/** Sends `count` requests to each of the three listeners. Failures name the seed. */
export async function sendGenerated(app: TestService, seed: number, count: number): Promise<void> {
  const random = createRandom(seed);
  const { body } = await app.client.get("/v1/openapi.json");
  const ids = await knownIds(app);
  const make = createRequestMaker(body as ApiDocument, random, ids);
  const askers = [askApi(app, make), askMcp(app, make), askApplication(app, make, random)];
  const asks = Array.from({ length: count }, () => askers).flat();
  const failures: string[] = [];
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let ask = asks.pop(); ask !== undefined; ask = asks.pop())
        await ask().catch((error: unknown) => failures.push(String(error)));
    }),
  );
  assert.deepEqual(failures.slice(0, shownFailures), [], `${failures.length} failures with seed ${seed}`);
  assert.equal((await app.client.get("/v1/capacity")).status, 200);
}

async function knownIds({ client }: TestService): Promise<string[]> {
  const ids = await createProfiles(client, 2);
  const source = "export default async function run() {}";
  const saved = (await client.post("/v1/scripts", { name: "known", source })).body as { scriptId: string };
  const rows = { name: "known", mode: "fixed", columns: [{ name: "a" }], rows: [{ a: "1" }, { a: "2" }] };
  const dataset = (await client.post("/v1/datasets", rows)).body as { id: string };
  return [...ids, saved.scriptId, dataset.id].filter(Boolean);
}

function askApi({ client }: TestService, make: RequestMaker) {
  return async () => {
    const { method, path, rawBody } = make.next();
    const reply = await client.call(method, path, rawBody === undefined ? {} : { rawBody });
    const what = `${method} ${path.slice(0, 200)} ${rawBody?.slice(0, 500)}`;
    assert.ok(reply.status < 500, `${reply.status} ${JSON.stringify(reply.body)} to ${what}`);
  };
}

async function post(url: string, bearer: string, body: string, headers: Record<string, string> = {}) {
  const reply = await request(url, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", ...headers },
    body,
  });
  return { status: reply.statusCode, text: await reply.body.text() };
}

function askMcp({ service, token }: TestService, make: RequestMaker) {
  const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
  return async () => {
    const { id, values } = make.arguments();
    const name = id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: values },
    });
    const { status, text } = await post(`${service.apiUrl}/mcp`, token, body, headers);
    assert.ok(status < 500, `${status} ${text.slice(0, 300)} to ${body.slice(0, 500)}`);
    assert.doesNotMatch(text, /internal error/, body.slice(0, 500));
  };
}

function askApplication({ dataDir }: TestService, make: RequestMaker, random: () => number) {
  const instance = readInstance(dataDir);
  assert.ok(instance);
  return async () => {
    const method = appMethods[Math.floor(random() * appMethods.length)];
    const { values } = make.arguments();
    const input = {
      ...values,
      profileIds: values.profile_ids ?? [values.id],
      profileId: values.id,
      scriptId: values.script_id ?? values.id,
    };
    const body = JSON.stringify(random() < 0.1 ? values : { jsonrpc: "2.0", id: 1, method, params: [input] });
    const { status, text } = await post(`${instance.url}/rpc`, instance.secret, body);
    assert.ok(status < 500, `${status} ${text.slice(0, 300)} to ${body.slice(0, 500)}`);
  };
}
