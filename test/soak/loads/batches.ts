/** Batches with alternating libraries; planned parts throw, hang, crash or leave a dialog open. */
import { randomUUID } from "node:crypto";
import { limits } from "../../../protocol/limits.ts";
import type { Run } from "../../../protocol/records.ts";
import type { CreateProfilesReply } from "../../../protocol/requests.ts";
import { type LoadContext, pause, type Round } from "./load.ts";
import { type Library, type Mood, moods } from "./scripts.ts";

export interface BatchesOptions {
  profileIds: readonly string[];
  scriptIds: Readonly<Record<Library, string>>;
  concurrency: number;
}

/** One in `oneIn` profiles has the mood. A part that hangs keeps its slot until the run's time limit. */
type Moods = readonly (readonly [mood: Mood, oneIn: number])[];
const usualMoods: Moods = [
  ["hangs", 40],
  ["crashes", 30],
  ["throws", 6],
  ["dialog", 8],
];
const badMoods: Moods = [
  ["hangs", 40],
  ["crashes", 25],
  ["dialog", 20],
  ["throws", 3],
];
const badConcurrency = 8;
const lookMs = 1_000;

export function batches({ profileIds, scriptIds, concurrency }: BatchesOptions): Round {
  let turn = 0;
  return (context) => {
    const library: Library = turn % 2 === 0 ? "playwright" : "puppeteer";
    turn += 1;
    const scriptId = scriptIds[library];
    return runBatch(
      context,
      { what: `batch with ${library}`, scriptId, profileIds, concurrency },
      usualMoods,
    );
  };
}

export async function badBatch(context: LoadContext, count: number, scriptId: string): Promise<void> {
  const profileIds: string[] = [];
  for (let left = count; left > 0; left -= limits.profilesPerCreateMax) {
    const { created } = await context.target.post<CreateProfilesReply>("/v1/profiles", {
      count: Math.min(left, limits.profilesPerCreateMax),
      name_template: "Bad {n}",
    });
    profileIds.push(...created.map((profile) => profile.profile_id));
  }
  const asked = { what: "bad batch", scriptId, profileIds, concurrency: badConcurrency };
  await runBatch(context, asked, badMoods);
}

interface AskedBatch {
  what: string;
  scriptId: string;
  profileIds: readonly string[];
  concurrency: number;
}

async function runBatch(
  context: LoadContext,
  { what, scriptId, profileIds, concurrency }: AskedBatch,
  wanted: Moods,
): Promise<void> {
  const chosen = profileIds.map((id) => [id, chooseMood(context.random, wanted)] as const);
  const run = await askForRun(context, what, "/v1/scripts/batch", {
    script_id: scriptId,
    profile_ids: profileIds,
    concurrency,
    variables: {
      site: context.site,
      moods: chosen.flatMap(([id, mood]) => (mood === null ? [] : `${id}=${mood}`)).join(" "),
    },
  });
  if (run === null) return;
  const planned = new Map(
    chosen.flatMap(([id, mood]) => {
      const says = mood === null ? null : moods[mood];
      return says === null ? [] : [[id, says]];
    }),
  );
  context.runs.set(run.id, { what, profileIds, planned });
  await untilFinal(context, run.id);
}

function chooseMood(random: () => number, wanted: Moods): Mood | null {
  return wanted.find(([, oneIn]) => random() < 1 / oneIn)?.[0] ?? null;
}

/** Repeats a request without reply, after a kill, under the same key: it must not start twice. */
export async function askForRun(
  { ledger, target }: LoadContext,
  what: string,
  path: string,
  body: object,
): Promise<Run | null> {
  const key = randomUUID();
  const ask = () => ledger.attempt(what, null, () => target.post<Run>(path, body, key));
  return (await ask()) ?? (await target.up().then(ask));
}

export async function untilFinal({ target, ledger }: LoadContext, runId: string): Promise<Run> {
  for (;;) {
    await target.up();
    const run = await ledger.attempt("look at a run", null, () => target.get<Run>(`/v1/runs/${runId}`));
    if (run !== null && run.status !== "running") return run;
    await pause(lookMs);
  }
}
