/** Batches, in turn with each library; some profiles' parts throw, hang, or leave a dialog open, as planned. */
import { randomUUID } from "node:crypto";
import type { Run } from "../../../protocol/records.ts";
import { type LoadContext, pause, type Round } from "./load.ts";
import { type Library, moods } from "./scripts.ts";

export interface BatchesOptions {
  profileIds: readonly string[];
  scriptIds: Readonly<Record<Library, string>>;
  concurrency: number;
}

/** A part that hangs takes its place until the run's limit on time. */
const hangsOneIn = 40;
const throwsOneIn = 6;
const dialogOneIn = 8;
const lookMs = 1_000;

export function batches({ profileIds, scriptIds, concurrency }: BatchesOptions): Round {
  let turn = 0;
  return async (context) => {
    const library: Library = turn % 2 === 0 ? "playwright" : "puppeteer";
    turn += 1;
    const chosen = profileIds.map((id) => [id, chooseMood(context.random)] as const);
    const run = await askForRun(context, `batch with ${library}`, "/v1/scripts/batch", {
      script_id: scriptIds[library],
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
    context.runs.set(run.id, { what: `batch with ${library}`, profileIds, planned });
    await untilFinal(context, run.id);
  };
}

function chooseMood(random: () => number): keyof typeof moods | null {
  if (random() < 1 / hangsOneIn) return "hangs";
  if (random() < 1 / throwsOneIn) return "throws";
  return random() < 1 / dialogOneIn ? "dialog" : null;
}

/** One that has no answer, as the service was killed, is asked for again under its key: it must not start twice. */
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

/** Looks until the run has ended, through whatever is done to the service meanwhile. */
export async function untilFinal({ target, ledger }: LoadContext, runId: string): Promise<Run> {
  for (;;) {
    await target.up();
    const run = await ledger.attempt("look at a run", null, () => target.get<Run>(`/v1/runs/${runId}`));
    if (run !== null && run.status !== "running") return run;
    await pause(lookMs);
  }
}
