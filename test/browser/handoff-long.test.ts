/** Handoff in real Chromium: a script waits, a person types a code on the control page, and the script goes on. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createProfiles } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";

/** Takes the code that only the user knows, by mouse and keyboard. */
const site = createServer((request, response) => {
  response.setHeader("content-type", "text/html");
  if (request.url?.startsWith("/in") === true)
    return void response.end(`<title>Welcome</title>${request.url}`);
  response.end(
    `<title>Code</title><form action="/in"><input name="code" style="position:fixed;left:40%;width:20%;top:40%;height:20%;font-size:30px"></form>`,
  );
});

let control: ControlPage;
let url: string;
before(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  control = await openControlPage();
});
after(async () => {
  await control.close();
  site.closeAllConnections();
  site.close();
});

const post = (path: string, body: object = {}) => control.running.client.post(path, body);
const errorOf = ({ body }: { body: unknown }) => Object(body).error;
const screen = (name: string) => control.page.getByLabel(`Live page of ${name}`);

/** Clicks in the middle of the live picture. */
async function clickMiddle(name: string): Promise<void> {
  await control.page.locator(".screen img").waitFor();
  await screen(name).click();
}

const approved = async (source: string) => {
  const { body } = await post("/v1/scripts", { name: "handoff.ts", source });
  const { scriptId } = body as { scriptId: string };
  await control.running.service.actors.library.approveScript({ scriptId, sha256: null });
  return scriptId;
};

const script = `
import type { Page } from "playwright-core";
import type { ScriptContext } from "@troupe/script";
export default async function run({ page, handoff, variables }: ScriptContext<Page>) {
  await page.goto(variables.url ?? "");
  const outcome = await handoff("Type the code", { timeoutMs: 120_000 });
  return { outcome, title: await page.title(), url: page.url() };
}
`;

test("a script waits while a person types a code by hand", async () => {
  const [id = ""] = await createProfiles(control.running.client, 1);
  const scriptId = await approved(script);
  const body = { script_id: scriptId, profile_ids: [id], variables: { url } };
  const started = await post("/v1/scripts/run", { ...body, headless: true });
  const runId = (started.body as { id: string }).id;
  const { page } = control;
  await page.getByRole("link", { name: "A profile needs you" }).click();
  await page.getByText("Type the code").waitFor();
  await control.checkAccess();
  await control.shoot("handoff");
  for (const verb of ["snapshot", "tabs"] as const) {
    const refused =
      verb === "snapshot"
        ? await control.running.client.get(`/v1/profiles/${id}/snapshot`)
        : await post(`/v1/profiles/${id}/tabs`, {});
    assert.deepEqual([refused.status, errorOf(refused)], [409, "conflict: handed to the user"]);
  }
  const second = await post(`/v1/profiles/${id}/handoff`, { message: "me too" });
  assert.match(errorOf(second), /handed to the user already/);
  await clickMiddle("Profile 1");
  await page.keyboard.type("4711 Ä");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await until("the code is sent", async () => {
    const listed = await control.running.client.get(`/v1/profiles/${id}/tabs`);
    return Object(listed.body)[0]?.title === "Welcome";
  });
  await page.getByRole("button", { name: "Hand back" }).click();
  await until("the run has ended", async () => {
    const read = await control.running.client.get(`/v1/runs/${runId}`);
    return Object(read.body).status !== "running";
  });
  const { body: ended } = await control.running.client.get(`/v1/runs/${runId}/profiles`);
  const [part] = Object(ended).profiles;
  assert.deepEqual([part.status, part.error], ["completed", null]);
  assert.deepEqual(part.result, { outcome: "handed_back", title: "Welcome", url: `${url}in?code=4711` });
});

test("a call waits for the user, who may refuse; without an answer it times out; each handoff is an event", async () => {
  const [id = ""] = await createProfiles(control.running.client, 1);
  const path = `/v1/profiles/${id}`;
  assert.equal((await post(`${path}/handoff`, { message: "x" })).status, 409);
  await post(`${path}/launch`, { headless: true });
  const waiting = post(`${path}/handoff`, { message: "Look at this", timeout_ms: 60_000 });
  await control.page.getByText("Look at this").waitFor();
  await control.page.getByRole("button", { name: "Refuse" }).click();
  assert.deepEqual((await waiting).body, { outcome: "refused" });
  const short = await post(`${path}/handoff`, { message: "Nobody looks", timeout_ms: 1_000 });
  assert.deepEqual(short.body, { outcome: "timed_out" });
  assert.equal((await control.running.client.get(`${path}/snapshot`)).status, 200);
  for (const body of [{ message: "x", timeout_ms: 999 }, { message: "" }, {}])
    assert.equal((await post(`${path}/handoff`, body)).status, 400);
  const lost = post(`${path}/handoff`, { message: "Then it stops" });
  await control.page.getByText("Then it stops").waitFor();
  await post(`${path}/stop`);
  assert.equal((await lost).status, 409);
  const events = await control.running.service.actors.library.events({ after: null, limit: 1_000 });
  const asked = events.filter(({ event }) => event.profile_id === id && event.type.startsWith("handoff."));
  assert.deepEqual(
    asked.map(({ event: { type, message, status } }) => [type, message ?? status]),
    [
      ["handoff.asked", "Look at this"],
      ["handoff.ended", "refused"],
      ["handoff.asked", "Nobody looks"],
      ["handoff.ended", "timed_out"],
      ["handoff.asked", "Then it stops"],
      ["handoff.ended", "stopped"],
    ],
  );
  assert.deepEqual(control.troubles, []);
});

test("a caller that disconnects ends its handoff, over REST and MCP: the profile's verbs work again", async () => {
  const [id = ""] = await createProfiles(control.running.client, 1);
  const path = `/v1/profiles/${id}`;
  await post(`${path}/launch`, { headless: true });
  const wish = { message: "Nobody waits for this", timeout_ms: 600_000 };
  const params = { name: "hand_over", arguments: { id, ...wish } };
  const asks = {
    [`${path}/handoff`]: wish,
    "/mcp": { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  };
  for (const [to, body] of Object.entries(asks)) {
    const caller = new AbortController();
    const asked = fetch(new URL(to, control.running.service.apiUrl ?? ""), {
      method: "POST",
      headers: {
        authorization: `Bearer ${control.running.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(body),
      signal: caller.signal,
    }).then((reply) => reply.text());
    await control.page.getByText(wish.message).waitFor();
    caller.abort();
    await assert.rejects(asked);
    await control.page.getByText(wish.message).waitFor({ state: "detached" });
    assert.equal((await control.running.client.get(`${path}/snapshot`)).status, 200);
  }
  await post(`${path}/stop`);
});
