/** A fleet of a head and two workers, with real PostgreSQL and browsers: parts run once, profiles move, and faults lose nothing. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { command, eventually, type Fleet, startFleet } from "./fleet.ts";
import { needsPostgres, noPostgres } from "./postgres.ts";

let fleet: Fleet;
let visit: string;
let stay: string;
let profiles: string[];

before(async () => {
  if (noPostgres !== false) return;
  fleet = await startFleet(["w1", "w2"]);
  visit = await fleet.script(`export default async function run({ page, profile, variables, output, rows }) {
  await page.goto(variables.site + "/visit?who=" + profile.id);
  const count = Number(await page.textContent("#count"));
  output({ count });
  console.log("visit " + count);
  return { count, login: await page.textContent("#login"), rows };
}`);
  stay = await fleet.script(`export default async function run({ page, profile, variables, sleep }) {
  await page.goto(variables.site + "/visit?who=" + profile.id);
  await sleep(600_000);
}`);
  profiles = await fleet.createProfiles(3);
});
after(async () => {
  if (noPostgres !== false) return;
  assert.deepEqual(fleet.site.overlaps, []);
  await fleet.close();
});

interface Result {
  count: number;
  login: string;
}

const holderOf = async (profileId: string) =>
  (await fleet.status()).workers.find(({ running }) =>
    running.some((part) => part.profile_id === profileId && part.state === "begun"),
  )?.name;
const released = () =>
  eventually("every profile is released", async () => (await fleet.status()).profiles.held === 0);
const first = () => profiles[0] ?? "";

/** Starts a part that stays, and returns when its page is open. */
async function staying(profileId: string) {
  const visits = () => fleet.site.visits.filter(({ who }) => who === profileId).length;
  const before = visits();
  const runId = await fleet.batch(stay, [profileId]);
  await eventually("the site is visited", () => visits() > before);
  const name = await holderOf(profileId);
  const worker = fleet.workers.find((one) => one.name === name);
  assert.ok(worker);
  return { runId, worker };
}

test(
  "a batch runs in the fleet, and a login is alive after its profile has moved",
  needsPostgres,
  async () => {
    const one = await fleet.ended(await fleet.batch(visit, profiles));
    assert.equal(one.run.status, "completed", JSON.stringify(one.profiles));
    for (const part of one.profiles) {
      assert.deepEqual([part.output, part.log], [[{ count: 1 }], ["info: visit 1"]]);
      assert.ok(part.startedAt !== null && part.launchMs !== null && part.isolation !== null);
    }
    await released();
    const { body } = await fleet.client.get("/v1/capacity");
    assert.equal(Object(body).fleet.trouble, null, JSON.stringify(body));
    await fleet.cli("fleet", "drain", "w1");
    const two = await fleet.ended(await fleet.batch(visit, profiles));
    assert.equal(two.run.status, "completed", JSON.stringify(two.profiles));
    const logins = (parts: typeof one.profiles) => parts.map(({ result }) => (result as Result).login);
    assert.deepEqual(logins(two.profiles), logins(one.profiles));
    assert.deepEqual(
      two.profiles.map(({ result }) => (result as Result).count),
      [2, 2, 2],
    );
    await fleet.cli("fleet", "drain", "w1", "--off");
    await released();
  },
);

test(
  "a profile that a worker has is refused on the head, which names it; a free one is fetched",
  needsPostgres,
  async () => {
    const { runId, worker } = await staying(first());
    const refused = await fleet.client.post(`/v1/profiles/${first()}/launch`, { headless: true });
    assert.equal(refused.status, 409);
    assert.match(JSON.stringify(refused.body), new RegExp(`the worker ${worker.name} has had profile`));
    assert.equal((await fleet.client.post(`/v1/runs/${runId}/cancel`)).status, 200);
    assert.equal((await fleet.ended(runId)).profiles[0]?.error, "the run was cancelled");
    await released();
    const launched = await fleet.client.post(`/v1/profiles/${first()}/launch`, { headless: true });
    assert.equal(launched.status, 200, JSON.stringify(launched.body));
    const page = await fleet.client.post(`/v1/profiles/${first()}/navigate`, {
      url: `${fleet.site.url}/visit?who=${first()}`,
    });
    assert.equal(page.status, 200);
    assert.equal(fleet.site.visits.at(-1)?.count, 4, "its cookies came along");
    assert.equal((await fleet.client.post(`/v1/profiles/${first()}/stop`)).status, 204);
  },
);

test("a copy of a worker's directory does not take its place", needsPostgres, async () => {
  const { runId, worker } = await staying(first());
  const copy = `${worker.dataDir}-copy`;
  for (const name of ["fleet.json", "lock", join("fleet", "session")])
    cpSync(join(worker.dataDir, name), join(copy, name));
  const guard = spawn(process.execPath, [command, "worker", "--data", copy], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  guard.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  await eventually("the copy is refused", () =>
    said.includes(`a worker named ${worker.name} is in the fleet`),
  );
  assert.equal(await holderOf(first()), worker.name);
  guard.kill("SIGTERM");
  await once(guard, "exit");
  await fleet.client.post(`/v1/runs/${runId}/cancel`);
  await fleet.ended(runId);
  await released();
});

test(
  "a script's lines come while it runs, each once, and handoff is refused in words",
  needsPostgres,
  async () => {
    const asks = await fleet.script(`export default async function run({ page, handoff, sleep, variables }) {
  console.log("it asks");
  const refused = await handoff("Solve it").catch((error) => error.message);
  console.log("refused: " + refused);
  const isOpen = async () => (await (await page.goto(variables.site + "/gate")).text()) === "open";
  while (!(await isOpen())) await sleep(500);
  console.log("it ends");
}`);
    const runId = await fleet.batch(asks, [first()]);
    const linesNow = async () => {
      const { body } = await fleet.client.get(`/v1/runs/${runId}/log`);
      const lines = String(body ?? "").split("\n");
      return lines.flatMap((line) => (line === "" ? [] : [String(JSON.parse(line).line)]));
    };
    await eventually("its lines are here", async () => (await linesNow()).length === 2);
    const early = await linesNow();
    assert.equal(early[0], "info: it asks");
    assert.match(early[1] ?? "", /refused: a part in a fleet has no handoff: .* placement local/);
    fleet.site.openGate();
    const { run, profiles: parts } = await fleet.ended(runId);
    assert.equal(run.status, "completed", JSON.stringify(parts));
    assert.deepEqual(parts[0]?.log, [...early, "info: it ends"]);
    assert.deepEqual(await linesNow(), parts[0]?.log);
    await released();
  },
);

test(
  "a store that is away when a profile is to be stored loses none of its changes",
  needsPostgres,
  async () => {
    const { runId, worker } = await staying(first());
    const before = fleet.site.visits.at(-1)?.count ?? 0;
    const store = join(dirname(worker.dataDir), "store");
    renameSync(store, `${store}-away`);
    await fleet.client.post(`/v1/runs/${runId}/cancel`);
    const waits = ({ name, state }: { name: string; state: string }) =>
      name === worker.name && state.includes(`the archive store ${store} is away`);
    await eventually("the worker waits for it", async () => (await fleet.status()).workers.some(waits));
    renameSync(`${store}-away`, store);
    await released();
    const { profiles: parts } = await fleet.ended(await fleet.batch(visit, [first()]));
    assert.deepEqual(parts[0]?.output, [{ count: before + 1 }]);
    await released();
  },
);

test("a part whose worker is killed is interrupted, and a retry runs it again", needsPostgres, async () => {
  const { runId, worker } = await staying(first());
  process.kill(worker.servicePid() ?? 0, "SIGKILL");
  const { run, profiles: parts } = await fleet.ended(runId);
  assert.deepEqual([run.status, parts[0]?.error], ["failed", "interrupted"]);
});

test("a worker that is stopped loses its browsers, by its guard", needsPostgres, async () => {
  await eventually("both workers are there", async () => (await fleet.status()).workers.length === 2);
  const { runId, worker } = await staying(first());
  const pid = worker.servicePid() ?? 0;
  process.kill(pid, "SIGSTOP");
  await eventually("its browsers have ended", () => worker.browsers().length === 0);
  assert.equal((await fleet.ended(runId)).profiles[0]?.error, "interrupted");
});

test("a worker whose guard is killed ends its browsers", needsPostgres, async () => {
  await eventually("both workers are there", async () => (await fleet.status()).workers.length === 2);
  const { runId, worker } = await staying(first());
  worker.guard.kill("SIGKILL");
  await eventually("its browsers have ended", () => worker.browsers().length === 0);
  worker.start();
  assert.equal((await fleet.ended(runId)).profiles[0]?.error, "interrupted");
});

test("a run goes on while the head and PostgreSQL are away", needsPostgres, async () => {
  await eventually("both workers are there", async () => (await fleet.status()).workers.length === 2);
  const runId = await fleet.batch(visit, profiles);
  await fleet.restartHead();
  await fleet.postgres.stop();
  await fleet.postgres.start();
  const { run, profiles: parts } = await fleet.ended(runId);
  assert.equal(run.status, "completed", JSON.stringify(parts));
});
