/** Carries out the planned acts, and records each in the ledger for as long as it explains failures. */

import { limits } from "../../protocol/limits.ts";
import { openBallast } from "./full-disk.ts";
import { endProvocation } from "./ledger.ts";
import type { LoadContext } from "./loads/load.ts";
import { pause, pick } from "./loads/load.ts";
import type { Act, PlannedAct } from "./plan.ts";
import { type Victim, victimsBelow } from "./victims.ts";

/** The limit of a stop, whatever the browsers do (gateway/README.md, "Start and stop"). */
const stopMsMax = 60_000;
const frozenMs = 12_000;
/** A navigation that the freeze caught ends first: verbs of a profile take turns. */
const frozenAnswerMsMax = limits.navigateTimeoutMs + 20_000;
const fullMs = 12_000;
const readMsMax = 10_000;
const roomMsMax = 60_000;
const lookMs = 500;
const victimMsMax = 30_000;

export async function carryOut(
  context: LoadContext,
  plan: readonly PlannedAct[],
  ending: AbortSignal,
): Promise<void> {
  const from = Date.now();
  for (const { act, atMs } of plan) {
    await pause(from + atMs - Date.now(), ending);
    if (ending.aborted) context.ledger.count(`no time left: ${act}`);
    else await acts[act](context);
  }
}

const acts: Readonly<Record<Act, (context: LoadContext) => Promise<void>>> = {
  browser: (context) => killOne(context, "browser"),
  renderer: (context) => killOne(context, "renderer"),
  gpu: (context) => killOne(context, "gpu"),
  utility: (context) => killOne(context, "utility"),
  runner: (context) => killOne(context, "runner"),
  service: (context) => restart(context, "SIGKILL"),
  stop: (context) => restart(context, "SIGTERM"),
  freeze,
  disk: fillDisk,
};

async function findVictim({ target, random }: LoadContext, kind: Victim["kind"]): Promise<Victim | null> {
  const latest = Date.now() + victimMsMax;
  while (Date.now() < latest) {
    const found = victimsBelow(target.pid()).filter((victim) => victim.kind === kind);
    if (found.length > 0) return pick(random, found);
    await pause(lookMs);
  }
  return null;
}

async function killOne(context: LoadContext, kind: Victim["kind"]): Promise<void> {
  const { ledger } = context;
  const victim = await findVictim(context, kind);
  if (victim === null) return ledger.count(`no ${kind} to kill`);
  // A runner's command line names no profile, so it explains one failure of any profile.
  const provocation = ledger.provoke(
    `${kind} killed`,
    victim.profileId === null ? "all" : [victim.profileId],
    victim.profileId === null ? 1 : undefined,
  );
  signal(victim.pid, "SIGKILL");
  ledger.count(`${kind} killed`);
  endProvocation(provocation);
}

/** Until `ending`, kills the renderer of each profile whose page requests it from the site. */
export async function crashOnDemand(
  { target, ledger }: LoadContext,
  takeLog: () => readonly string[],
  ending: AbortSignal,
): Promise<void> {
  while (!ending.aborted) {
    const asking = takeLog().flatMap((line) => /^GET \/crash\/([0-9a-f-]{36})$/.exec(line)?.[1] ?? []);
    const renderers = asking.length === 0 ? [] : victimsBelow(target.pid());
    for (const { kind, pid, profileId } of renderers) {
      if (kind !== "renderer" || profileId === null || !asking.includes(profileId)) continue;
      endProvocation(ledger.provoke("renderer killed on request", [profileId]));
      signal(pid, "SIGKILL");
      ledger.count("renderer killed on request");
    }
    await pause(lookMs, ending);
  }
}

async function restart({ target, ledger }: LoadContext, by: "SIGKILL" | "SIGTERM"): Promise<void> {
  const what = by === "SIGKILL" ? "service killed" : "service stopped";
  const provocation = ledger.provoke(what, "all");
  const from = Date.now();
  const code = await target.restart(by);
  const took = Date.now() - from;
  ledger.count(what);
  endProvocation(provocation);
  if (by !== "SIGTERM") return;
  if (code !== 0) ledger.wrong(`the stopped service exited with ${code}`);
  if (took > stopMsMax) ledger.wrong(`the stop and the next start took ${took} ms`);
}

async function freeze(context: LoadContext): Promise<void> {
  const { target, ledger } = context;
  const victim = await findVictim(context, "browser");
  if (victim?.profileId == null) return ledger.count("no browser to freeze");
  const provocation = ledger.provoke("browser frozen", [victim.profileId]);
  signal(victim.pid, "SIGSTOP");
  const from = Date.now();
  const waited = pause(frozenMs);
  await target.post(`/v1/profiles/${victim.profileId}/evaluate`, { expression: "1" }).catch(() => {}); // Only the duration matters; the call fails.
  const took = Date.now() - from;
  await waited;
  signal(victim.pid, "SIGCONT");
  ledger.count("browser frozen");
  endProvocation(provocation);
  if (took > frozenAnswerMsMax) ledger.wrong(`evaluate on a frozen browser took ${took} ms`);
}

async function fillDisk(context: LoadContext): Promise<void> {
  const { target, ledger } = context;
  const provocation = ledger.provoke("disk full", "all");
  const ballast = openBallast(target.dataDir);
  const latest = Date.now() + fullMs;
  const slow: string[] = [];
  while (Date.now() < latest) {
    ballast.fill();
    for (const [what, call] of probes(context)) {
      const from = Date.now();
      const error = await call().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (Date.now() - from > readMsMax) slow.push(`${what} took ${Date.now() - from} ms on a full disk`);
      if (what === "a read" && error !== null) slow.push(`a read failed on a full disk: ${error}`);
    }
    await pause(lookMs);
  }
  ballast.remove();
  const writes = await writesWithin(context, roomMsMax);
  ledger.count("disk full");
  endProvocation(provocation);
  for (const message of slow) ledger.wrong(message);
  if (!writes) ledger.wrong(`writes still fail ${roomMsMax} ms after the disk has space again`);
}

function probes({ target }: LoadContext): readonly [string, () => Promise<unknown>][] {
  return [
    ["a read", () => target.get("/v1/profiles")],
    ["a write", () => target.post("/v1/profiles", { count: 1, name_template: "On a full disk" })],
  ];
}

async function writesWithin({ target }: LoadContext, ms: number): Promise<boolean> {
  const latest = Date.now() + ms;
  while (Date.now() < latest) {
    const written = await target.post("/v1/profiles", { count: 1, name_template: "After a full disk" }).then(
      () => true,
      () => false,
    );
    if (written) return true;
    await pause(lookMs);
  }
  return false;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has exited already.
  }
}
