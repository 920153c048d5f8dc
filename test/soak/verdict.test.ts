/** A soak reports unexplained failures and growth at rest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLedger, type Failure, judge, type Provocation } from "./ledger.ts";
import { loggedFailures } from "./logged.ts";
import { planActs } from "./plan.ts";
import { problemsOf, type Seen } from "./verdict.ts";

const failure = (from: number, to: number, profileId: string | null = "one"): Failure => ({
  what: "verbs",
  profileId,
  from,
  to,
  message: "it failed",
});
const kill = (from: number, to: number, profileIds: Provocation["profileIds"] = ["one"]): Provocation => ({
  what: "browser killed",
  profileIds,
  from,
  to,
  failuresMax: Number.POSITIVE_INFINITY,
});
const unprovoked = (failures: Failure[], provocations: Provocation[]) =>
  judge(failures, provocations).unprovoked;

test("a failure is provoked by an act on its profile at the same time", () => {
  assert.equal(unprovoked([failure(10, 20)], [kill(15, 16)]).length, 0);
  assert.equal(unprovoked([failure(10, 20)], [kill(15, 16, "all")]).length, 0);
  assert.equal(unprovoked([failure(10, 20, null)], [kill(15, 16, "all")]).length, 0);
});

test("a failure of another profile, of no profile, before or after an act is not provoked", () => {
  assert.equal(unprovoked([failure(10, 20, "two")], [kill(15, 16)]).length, 1);
  assert.equal(unprovoked([failure(10, 20, null)], [kill(15, 16)]).length, 1);
  assert.equal(unprovoked([failure(10, 14)], [kill(15, 16)]).length, 1);
  assert.equal(unprovoked([failure(17, 20)], [kill(15, 16)]).length, 1);
});

test("a provocation explains at most its number of failures", () => {
  const once = { ...kill(15, 16, "all"), failuresMax: 1 };
  assert.equal(unprovoked([failure(10, 20, "one"), failure(10, 20, "two")], [once]).length, 1);
});

test("a failed attempt is recorded with its time and message, a successful one is counted", async () => {
  const ledger = createLedger();
  assert.equal(await ledger.attempt("launch", "one", async () => 7), 7);
  assert.equal(await ledger.attempt("launch", "one", () => Promise.reject(new Error("no"))), null);
  assert.equal(ledger.done.get("launch"), 1);
  assert.deepEqual(
    ledger.failures.map(({ what, message }) => [what, message]),
    [["launch", "no"]],
  );
});

test("errors in the log and lines outside the log are failures, warnings are not", () => {
  const line = (level: string, more: object) =>
    JSON.stringify({ at: new Date().toISOString(), level, message: "m", ...more });
  const lines = [line("warn", {}), line("error", { profileId: "one" }), "    at throwing (file.js:1)"];
  const found = loggedFailures(lines, ["one"]);
  assert.deepEqual(
    found.map(({ profileId, anybodys }) => [profileId, anybodys ?? false]),
    [
      ["one", false],
      [null, true],
    ],
  );
});

const rest = {
  processes: 0,
  descriptors: { socket: 4 },
  threads: 10,
  temporaries: [],
  locks: [],
  residentMb: 100,
};
const quiet: Seen = {
  judged: { provoked: [], unprovoked: [] },
  wrongs: [],
  before: rest,
  after: { ...rest, residentMb: 109 },
  endCode: 0,
  left: 0,
  minutesOfLoad: 30,
};

test("a soak without growth passes", () => {
  assert.deepEqual(problemsOf(quiet), []);
});

test("each resource that grew is a separate problem", () => {
  const after = {
    processes: 1,
    descriptors: { socket: 5 },
    threads: 11,
    temporaries: ["a"],
    locks: ["SingletonLock"],
    residentMb: 111,
  };
  assert.equal(problemsOf({ ...quiet, after }).length, 6);
  assert.equal(problemsOf({ ...quiet, after, minutesOfLoad: 1 }).length, 5, "memory only after a long load");
  assert.equal(problemsOf({ ...quiet, endCode: 1, left: 2, wrongs: ["lost"] }).length, 3);
  const judged = { provoked: [], unprovoked: [failure(1, 2)] };
  assert.match(problemsOf({ ...quiet, judged }).join(), /not provoked: verbs of one/);
});

test("a plan has every kind of act, within its time, and ends the service in the first half only", () => {
  const durationMs = 1_000;
  const plan = planActs({ kills: 20, durationMs, smallDisk: true, random: Math.random });
  assert.equal(plan.length, 23);
  assert.equal(new Set(plan.map(({ act }) => act)).size, 9);
  assert.ok(plan.every(({ atMs }) => atMs >= 0 && atMs <= durationMs));
  const ends = plan.filter(({ act }) => act === "service" || act === "stop");
  assert.ok(ends.every(({ atMs }) => atMs <= durationMs / 2));
});
