/** The log of a run over REST: followed while scripts write, and whole afterwards. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createProfiles } from "../gateway/running.ts";
import { servedRuns } from "./fixture/served-runs.ts";

const { on, save, ended } = servedRuns();

/** Lines in bursts, more than a reader gets at once, and the last one just before the end. */
const chatty = `export default async function run({ profile, sleep }) {
  for (let line = 0; line < 60; line++) {
    console.log(profile.name + " " + line);
    if (line % 20 === 0) await sleep(300);
  }
}`;

interface Told {
  profile_id: string;
  lines: string[];
  count: number;
}

/** The events of a followed log until it ends. */
async function followed(runId: string): Promise<{ name: string; data: Told }[]> {
  const url = new URL(`/v1/runs/${runId}/log?follow=true`, on.served.apiUrl);
  const reply = await fetch(url, { headers: { authorization: `Bearer ${on.served.token}` } });
  assert.equal(reply.headers.get("content-type"), "text/event-stream");
  const blocks = (await reply.text()).split("\n\n").filter((block) => block.startsWith("event: "));
  return blocks.map((block) => {
    const [, name = "", data = ""] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
    return { name, data: JSON.parse(data) };
  });
}

test("a followed log has every line of every profile once, in order, and ends with the run", async () => {
  const script = await save(chatty);
  const ids = await createProfiles(on.client, 3);
  const body = { script_id: script, profile_ids: ids, headless: true };
  const reply = await on.client.post("/v1/scripts/run", body);
  const runId = (reply.body as { id: string }).id;
  const events = await followed(runId);
  const { run } = await ended(reply);
  assert.equal(run.status, "completed");
  assert.equal(events.pop()?.name, "ended");
  const expected = (name: string) => Array.from({ length: 60 }, (_, line) => `info: ${name} ${line}`);
  for (const [index, id] of ids.entries()) {
    const lines = events.flatMap(({ data }) => (data.profile_id === id ? data.lines : []));
    assert.deepEqual(lines, expected(`Profile ${index + 1}`));
  }
  assert.ok(events.length > 3, "lines come while scripts write");

  const later = await followed(runId);
  assert.deepEqual(
    later.map(({ name }) => name),
    ["log", "log", "log", "ended"],
  );
  const whole: unknown = (await on.client.get(`/v1/runs/${runId}/log`)).body;
  assert.ok(Buffer.isBuffer(whole));
  const lines = whole
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 180);
  assert.deepEqual(lines[0], { profile_id: ids[0], line: "info: Profile 1 0" });
});

test("an unknown run has no log", async () => {
  const nobody = "00000000-0000-4000-8000-000000000000";
  for (const query of ["", "?follow=true"])
    assert.equal((await on.client.get(`/v1/runs/${nobody}/log${query}`)).status, 404);
});
