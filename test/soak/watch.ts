/** Watches the service under load: a repeated cheap call, crashed profiles, and a line per minute. */
import { descriptorCount, holdingsOf, residentBytes } from "../../bench/leftovers.ts";
import { quantile } from "../../bench/run/statistics.ts";
import type { Profile } from "../../protocol/records.ts";
import { judge } from "./ledger.ts";
import { type LoadContext, pause } from "./loads/load.ts";
import type { Target } from "./target.ts";
import type { Minute } from "./verdict.ts";

const pingEveryMs = 200;
const lookEveryMs = 3_000;
const minuteMs = 60_000;

export async function watch(
  context: LoadContext,
  ending: AbortSignal,
  say: (minute: Minute) => void,
): Promise<void> {
  const pings: number[] = [];
  await Promise.all([
    ping(context, ending, pings),
    lookForCrashes(context, ending),
    sayEachMinute(context, ending, pings, say),
  ]);
}

async function ping({ target, ledger }: LoadContext, ending: AbortSignal, pings: number[]): Promise<void> {
  while (!ending.aborted) {
    await target.up();
    const ms = await ledger.attempt("cheap call", null, () => target.ping());
    if (ms !== null) pings.push(ms);
    await pause(pingEveryMs, ending);
  }
}

/** When an idle browser exits, no call fails, so the listing must show it. */
async function lookForCrashes({ target, ledger }: LoadContext, ending: AbortSignal): Promise<void> {
  let known = new Set<string>();
  let from = Date.now();
  while (!ending.aborted) {
    await target.up();
    const began = Date.now();
    const profiles = await ledger.attempt("list profiles", null, () => target.get<Profile[]>("/v1/profiles"));
    const crashed = (profiles ?? []).filter(({ status }) => status === "crashed").map(({ id }) => id);
    for (const id of crashed)
      if (!known.has(id))
        ledger.fail({ what: "crash", profileId: id, from, to: Date.now(), message: "its browser ended" });
    known = new Set(crashed);
    from = began;
    await pause(lookEveryMs, ending);
  }
}

async function sayEachMinute(
  context: LoadContext,
  ending: AbortSignal,
  pings: number[],
  say: (minute: Minute) => void,
): Promise<void> {
  let before = new Map<string, number>();
  for (let minute = 1; ; minute += 1) {
    await pause(minuteMs, ending);
    const { target, ledger } = context;
    await target.up();
    const now = new Map(ledger.done);
    const done = [...now].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const);
    before = now;
    const { provoked, unprovoked } = judge(ledger.failures, ledger.provocations);
    say({
      minute,
      done: Object.fromEntries(done.filter(([, count]) => count > 0)),
      provoked: provoked.length,
      unprovoked,
      pingP99Ms: quantile(pings.splice(0), 0.99),
      ...(await weighLiving(target)),
    });
    if (ending.aborted) return;
  }
}

/** Weighs again when the process is killed meanwhile. */
async function weighLiving(target: Target) {
  for (;;) {
    await target.up();
    const pid = target.pid();
    const weights = await weigh(pid, target.dataDir).catch(async (error: unknown) => {
      await target.up();
      if (target.pid() === pid) throw error;
      return null;
    });
    if (weights !== null) return weights;
  }
}

async function weigh(pid: number, dataDir: string) {
  const held = await holdingsOf(pid, dataDir);
  return {
    residentMb: Math.round((await residentBytes(pid)) / 1e6),
    descriptors: descriptorCount(held),
    threads: held.threads,
    processes: held.processes,
  };
}
