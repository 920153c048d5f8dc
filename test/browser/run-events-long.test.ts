/** The events of many real runs, through a reader that is cut off ten times: none lost, none twice, in order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvents, type Seen } from "../gateway/event-reader.ts";
import { createProfiles } from "../gateway/running.ts";
import { type Run, servedRuns } from "./fixture/served-runs.ts";

const { on, save } = servedRuns();

/** A thousand take longer than a test file may: TROUPE_EVENT_RUNS=1000 with `node --import tsx --test`. */
const runsMax = Number(process.env.TROUPE_EVENT_RUNS ?? 100);
const cuts = 10;

test("a reader that is cut off ten times sees each event of every run once, in order", async () => {
  const script = await save("export default async function run({ output }) { output({ done: true }); }");
  const ids = await createProfiles(on.client, 2);
  // Runs join browsers that are open, so each costs only its script's process.
  for (const id of ids)
    assert.equal((await on.client.post(`/v1/profiles/${id}/launch`, { headless: true })).status, 200);
  const types = "types=run.started,run.progress,run.ended";
  const all: Seen[] = [];
  const ended = (seen: Seen[]) => seen.filter(({ type }) => type === "run.ended").length;
  const reading = (async () => {
    for (let cut = 1; cut <= cuts + 1; cut++) {
      const enough = cut > cuts ? runsMax : Math.floor((cut * runsMax * 0.9) / cuts);
      const before = ended(all);
      const part = await readEvents(
        on.served,
        `${types}&after=0`,
        (seen) => before + ended(seen) >= enough,
        all.at(-1)?.id,
      );
      all.push(...part);
    }
  })();
  const started: string[] = [];
  for (let at = 0; at < runsMax; at++) {
    const body = { script_id: script, profile_ids: [ids[at % ids.length]], headless: true };
    const reply = await on.client.post("/v1/scripts/run", body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    started.push((reply.body as Run).id);
  }
  await reading;

  assert.ok(
    all.every(({ id }, at) => id > (all[at - 1]?.id ?? 0)),
    "ids grow",
  );
  const ofRuns = new Map(started.map((id) => [id, [] as string[]]));
  for (const { run_id = "", type } of all) ofRuns.get(run_id)?.push(type);
  assert.deepEqual(
    all.flatMap(({ type, run_id }) => (type === "run.started" ? [run_id] : [])),
    started,
  );
  for (const [id, seen] of ofRuns) assert.deepEqual(seen, ["run.started", "run.progress", "run.ended"], id);
  const whole = await readEvents(on.served, `${types}&after=0`, (seen) => ended(seen) >= runsMax);
  assert.deepEqual(all, whole);
  const failed = all.filter(({ type, status }) => type !== "run.started" && status !== "completed");
  assert.deepEqual(failed, [], "every run completes");
  for (const id of ids) await on.client.post(`/v1/profiles/${id}/stop`);
});
