/** `npm run soak`: mixed load on a real service with real browsers, while parts of it are killed, frozen or without disk space. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callTroupe } from "../../bench/demo/troupe.ts";
import { endAll, endOnSignals, endsWithBench, owned } from "../../bench/run/ending.ts";
import { openDslSite } from "../browser/fixture/dsl-site.ts";
import { processesNaming, until } from "../gateway/serve.ts";
import { createRandom } from "../seeded-random.ts";
import { carryOut, crashOnDemand } from "./acts.ts";
import { accountForRuns, type Outcomes } from "./books.ts";
import { type Company, gatherCompany } from "./company.ts";
import { runOnSmallDisk, smallDiskDir, smallDiskRefusal } from "./full-disk.ts";
import { createLedger, judge } from "./ledger.ts";
import { badBatch } from "./loads/batches.ts";
import { keepOn, type LoadContext } from "./loads/load.ts";
import { loggedFailures } from "./logged.ts";
import { type SoakOptions, soakOptions } from "./options.ts";
import { planActs } from "./plan.ts";
import { comeToRest } from "./rest.ts";
import { openTarget, type Target } from "./target.ts";
import { failureLine, type Minute, minuteLine, problemsOf, type Seen } from "./verdict.ts";
import { watch } from "./watch.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);
const minuteMs = 60_000;
const partTimeoutMs = 240_000;
/** Parts that hang on purpose last this long, and a batch or a short load waits for them. */
const shortPartTimeoutMs = 100_000;
const shortMinutesMax = 5;
/** Share of the load's time: growth during warm-up is no leak. */
const warmUpShare = 0.1;
const warmUpRounds = 2;

async function soak(options: SoakOptions, dataDir: string): Promise<number> {
  const ledger = createLedger();
  const random = createRandom(options.seed);
  const site = await openDslSite();
  endsWithBench(() => site.close());
  const done = new AbortController();
  const target = await openTarget(dataDir, ledger);
  endsWithBench(() => target.end());
  const isShort = options.batch > 0 || options.minutes <= shortMinutesMax;
  const timeoutMs = isShort ? shortPartTimeoutMs : partTimeoutMs;
  await callTroupe(dataDir, "settings", `runProfileTimeoutMs=${timeoutMs}`);
  const context: LoadContext = { target, ledger, random, site: site.origin, runs: new Map() };
  const company = await gatherCompany(context);
  const crashing = crashOnDemand(context, site.takeLog, done.signal);
  const { before, after, on, minutes } = await load(context, company, options);
  done.abort();
  await crashing;
  const outcomes = await accountForRuns(context, { ...company, on });
  const endCode = await target.end();
  const left = await untilAlone(target);
  for (const failure of loggedFailures(target.log(), company.profileIds)) ledger.fail(failure);
  const judged = judge(ledger.failures, ledger.provocations);
  const minutesOfLoad = options.batch > 0 ? 0 : options.minutes;
  const seen = { judged, wrongs: ledger.wrongs, before, after, endCode, left, minutesOfLoad };
  const problems = problemsOf(seen);
  report(options, { ...seen, minutes, outcomes, problems, done: Object.fromEntries(ledger.done) });
  return problems.length === 0 ? 0 : 1;
}

async function load(context: LoadContext, company: Company, options: SoakOptions) {
  const { ledger } = context;
  const durationMs = options.minutes * minuteMs;
  say("warming up: every kind of load");
  const warmUntil = Date.now() + (options.batch > 0 ? 0 : durationMs * warmUpShare);
  for (let round = 0; round < warmUpRounds || Date.now() < warmUntil; round += 1)
    await Promise.all(company.loads.map((each) => each.round(context)));
  say("warm; waiting until the service is idle");
  const before = await comeToRest(context);
  const minutes: Minute[] = [];
  const ending = new AbortController();
  const from = Date.now();
  const watching = watch(context, ending.signal, (minute) => {
    const known = minutes.at(-1)?.unprovoked.length ?? 0;
    minutes.push(minute);
    say(minuteLine(minute));
    for (const failure of minute.unprovoked.slice(known)) say(`  ${failureLine(failure)}`);
  });
  if (options.batch > 0) await badBatch(context, options.batch, company.scriptIds.playwright);
  else await mixedLoad(context, company, options);
  ending.abort();
  await watching;
  await company.enableSchedules(false);
  const to = Date.now();
  const on = { from: options.batch > 0 ? to : from, to }; // A batch runs without schedules.
  say("waiting until the service is idle");
  const after = await comeToRest(context);
  if (ledger.done.size === 0) ledger.wrong("no call succeeded");
  return { before, after, on, minutes };
}

async function mixedLoad(context: LoadContext, company: Company, options: SoakOptions): Promise<void> {
  const durationMs = options.minutes * minuteMs;
  const smallDisk = smallDiskDir() !== null;
  const plan = planActs({ kills: options.kills, durationMs, smallDisk, random: context.random });
  say(`planned: ${plan.map(({ act, atMs }) => `${act} ${Math.round(atMs / 1_000)} s`).join(", ")}`);
  await company.enableSchedules(true);
  const ending = AbortSignal.timeout(durationMs);
  await Promise.all([
    carryOut(context, plan, ending),
    ...company.loads.map(({ round, pauseMs }) => keepOn(context, round, pauseMs, ending)),
  ]);
}

/** Waits for browsers to end after their owner; returns how many have not. */
async function untilAlone({ dataDir }: Target): Promise<number> {
  const others = () => processesNaming(dataDir).filter((pid) => pid !== process.ppid);
  await until("all browsers have exited", () => others().length === 0).catch(() => {});
  return others().length;
}

interface Report extends Seen {
  minutes: Minute[];
  outcomes: Outcomes;
  problems: string[];
  done: Record<string, number>;
}

function report(options: SoakOptions, { problems, ...seen }: Report): void {
  mkdirSync("bench-results", { recursive: true });
  const file = join("bench-results", `soak-${new Date().toISOString().replaceAll(":", "")}.json`);
  writeFileSync(file, JSON.stringify({ options, problems, ...seen }, null, 1));
  const counts = (of: Record<string, number>) =>
    Object.entries(of).map(([what, count]) => `${what} ${count}`);
  say(`done: ${counts(seen.done).join(", ")}`);
  say(`runs: ${counts(seen.outcomes).join(", ")}`);
  const { before, after } = seen;
  say(`idle: ${before.residentMb} MB before, ${after.residentMb} MB after; ${after.threads} threads`);
  say(
    `failures: ${seen.judged.provoked.length} provoked, ${seen.judged.unprovoked.length} unprovoked; ${file}`,
  );
  for (const problem of problems) say(`PROBLEM  ${problem}`);
  say(problems.length === 0 ? "no problems" : `${problems.length} problems`);
}

async function main(): Promise<number> {
  const options = soakOptions(process.argv.slice(2));
  const smallDisk = smallDiskDir();
  if (smallDisk !== null) return soak(options, smallDisk);
  const dir = mkdtempSync(join(tmpdir(), "troupe-soak-"));
  const remove = owned(() => rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  try {
    const refusal = options.smallDisk ? smallDiskRefusal() : "--no-full-disk";
    say(`seed ${options.seed}, ${options.minutes} minutes, ${options.kills} kills`);
    if (refusal === null) {
      const again = [
        "--minutes",
        options.minutes,
        "--seed",
        options.seed,
        "--kills",
        options.kills,
        "--batch",
        options.batch,
      ];
      return await runOnSmallDisk(dir, again.map(String));
    }
    say(`skipped: the full disk (${refusal})`);
    return await soak(options, dir);
  } finally {
    await remove();
  }
}

endOnSignals();
try {
  process.exitCode = await main();
} finally {
  await endAll();
}
