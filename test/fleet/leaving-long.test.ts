/** `troupe fleet off` on a head and on a worker, with real browsers. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { newKey } from "../../actors/fleet/sealed.ts";
import { joinToken } from "../../gateway/fleet/member-file.ts";
import type { FleetMember } from "../../protocol/fleet.ts";
import { troupe } from "../gateway/serve.ts";
import { eventually, type Fleet, startFleet } from "./fleet.ts";
import { needsPostgres, noPostgres } from "./postgres.ts";

let fleet: Fleet;
before(async () => {
  if (noPostgres === false) fleet = await startFleet(["w1"]);
});
after(async () => {
  if (noPostgres === false) await fleet.close();
});

const workerDir = () => fleet.workers[0]?.dataDir ?? "";
const fleetOff = (dataDir: string) => troupe("fleet", "off", "--data", dataDir);

test("a worker whose start is refused says why, and is not started again", needsPostgres, async () => {
  const text = readFileSync(join(workerDir(), "fleet.json"), "utf8");
  const member: FleetMember = JSON.parse(text);
  const token = joinToken({ ...member, key: newKey() });
  const args = ["--join", token, "--name", "other", "--data", `${workerDir()}-other`];
  const { code, stderr } = await troupe("worker", ...args);
  assert.equal(code, 2);
  assert.match(stderr, /the key in this machine's join token is not the fleet's/);
  assert.doesNotMatch(stderr, /starting it again/);
});

test("switching the fleet off waits for its runs, and brings every profile home", needsPostgres, async () => {
  const visit = await fleet.script(`export default async function run({ page, profile, variables, sleep }) {
  await page.goto(variables.site + "/visit?who=" + profile.id);
  if (variables.stay === "yes") await sleep(600_000);
}`);
  const [id = ""] = await fleet.createProfiles(1);
  const first = await fleet.ended(await fleet.batch(visit, [id]));
  assert.equal(first.run.status, "completed", JSON.stringify(first.profiles));
  const runId = await fleet.batch(visit, [id], { variables: { site: fleet.site.url, stay: "yes" } });
  await eventually("the site is visited", () => fleet.site.visits.length === 2);
  await assert.rejects(fleet.cli("fleet", "off"), new RegExp(`run ${runId} is in the fleet`));
  const running = await fleetOff(workerDir());
  assert.deepEqual([running.code, /the worker runs; stop it/.test(running.stderr)], [1, true]);
  const off = fleet.cli("fleet", "off", "--drain");
  off.catch(() => {}); // Awaited below.
  assert.equal((await fleet.client.post(`/v1/runs/${runId}/cancel`)).status, 200);
  assert.match(await off, /The fleet is off/);
  await eventually("the guard has ended", () => fleet.workers[0]?.guard.exitCode === 2);
  const left = await fleetOff(workerDir());
  assert.equal(left.code, 0, left.stderr);
  assert.equal(existsSync(join(workerDir(), "fleet")), false);
  assert.match((await fleetOff(workerDir())).stderr, /in no fleet/);
  const run = await fleet.ended(await fleet.batch(visit, [id]));
  assert.equal(run.run.status, "completed", JSON.stringify(run.profiles));
  assert.equal(fleet.site.visits.at(-1)?.count, 3, "its cookies came along");
  assert.deepEqual(fleet.site.overlaps, []);
});
