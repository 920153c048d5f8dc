/** Watches a run to its end: a progress bar on a terminal, else a line per change. */
import { forOneLine } from "../../protocol/clean-text.ts";
import type { Profile, Run, RunProfile } from "../../protocol/records.ts";
import type { Api } from "./api.ts";
import { complain, exitCodes, streams, tell } from "./output.ts";

export interface Watched {
  run: Run;
  parts: RunProfile[];
}

/** Polled, because the API has no event stream. */
const lookMs = 250;
/** After so long without a change, lines say what the run waits for. */
const quietMs = 10_000;
const partsPerCall = 1_000;

/** Writes progress to stderr. Ctrl-C cancels the run and waits for its end; a second one exits at once. */
export async function watchRun(api: Api, run: Run, profiles: Profile[]): Promise<Watched> {
  const names = new Map(profiles.map(({ id, name }) => [id, name]));
  const screen = process.stderr.isTTY ? liveScreen(names) : changeLines(names);
  const cancelled = cancelOnSignal(api, run.id);
  try {
    for (;;) {
      const watched = await look(api, run);
      screen.show(watched);
      if (watched.run.status !== "running") {
        screen.end(watched);
        return watched;
      }
      await new Promise<void>((resolve) => setTimeout(resolve, lookMs));
    }
  } finally {
    cancelled.forget();
  }
}

async function look(api: Api, { id, profilesTotal }: Run): Promise<Watched> {
  const path = `/v1/runs/${id}/profiles`;
  const partsFrom = (offset: number) =>
    api.call<{ run: Run; profiles: RunProfile[] }>({
      method: "GET",
      path,
      query: { offset: String(offset), limit: String(partsPerCall) },
    });
  const { run, profiles: parts } = await partsFrom(0);
  for (let offset = partsPerCall; offset < profilesTotal; offset += partsPerCall) {
    parts.push(...(await partsFrom(offset)).profiles);
  }
  return { run, parts };
}

function cancelOnSignal(api: Api, runId: string): { forget(): void } {
  let asked = false;
  const onSignal = () => {
    if (asked) process.exit(exitCodes.interrupted);
    asked = true;
    complain("cancelling the run; press Ctrl-C again to exit at once");
    api
      .call({ method: "POST", path: `/v1/runs/${runId}/cancel` })
      .catch((error: unknown) => complain(error instanceof Error ? error.message : String(error)));
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    forget() {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}

interface Screen {
  show(watched: Watched): void;
  end(watched: Watched): void;
}

const summary = ({ run }: Watched): string => {
  const { status, profilesDone, profilesFailed, profilesTotal, error } = run;
  return `${status}: ${profilesDone} done, ${profilesFailed} failed of ${profilesTotal}${error === null ? "" : ` (${error})`}`;
};

function lineOf(name: string, { status, error, log }: RunProfile): string {
  const said = error ?? (status === "running" ? log.at(-1) : undefined);
  return forOneLine(`${name}: ${status}${said === undefined ? "" : ` – ${said}`}`);
}

/** For an output that is no terminal. Says what a run waits for when nothing of it runs. */
export function changeLines(names: Map<string, string>): Screen {
  const before = new Map<string, string>();
  let changedAt: number | null = Date.now();
  const sayWaiting = (parts: RunProfile[]) => {
    if (changedAt === null || Date.now() - changedAt < quietMs) return;
    if (parts.some(({ status }) => status === "running")) return;
    changedAt = null; // Once, until the next change.
    const { length } = parts.filter(({ status }) => status === "waiting");
    tell(
      `${length} of ${parts.length} parts wait; for what: troupe status, and in a fleet: troupe fleet status`,
    );
  };
  return {
    show({ parts }) {
      for (const part of parts) {
        if (before.get(part.profileId) === part.status || part.status === "waiting") continue;
        before.set(part.profileId, part.status);
        changedAt = Date.now();
        tell(lineOf(names.get(part.profileId) ?? part.profileId, { ...part, log: [] }));
      }
      sayWaiting(parts);
    },
    end: (watched) => tell(summary(watched)),
  };
}

const order = { running: 0, failed: 1, completed: 2, skipped: 3, waiting: 4 };

function liveScreen(names: Map<string, string>): Screen {
  const startedAt = Date.now();
  let drawn = 0;
  const draw = (lines: string[]) => {
    const columns = process.stderr.columns || 80; // A terminal of unknown size reports 0.
    // Written as they are: the lines are clean already.
    const up = drawn > 0 ? `\x1b[${drawn}A` : "";
    streams.err.write(`${up}\x1b[J${lines.map((line) => line.slice(0, columns - 1)).join("\n")}\n`);
    drawn = lines.length;
  };
  const show = (watched: Watched) => {
    const room = Math.max(1, (process.stderr.rows || 24) - 3);
    const sorted = [...watched.parts].sort((one, other) => order[one.status] - order[other.status]);
    const shown = sorted.slice(0, room).map((part) => `  ${lineOf(names.get(part.profileId) ?? "", part)}`);
    const more = sorted.length > room ? [`  … and ${sorted.length - room} more`] : [];
    draw([bar(watched, Date.now() - startedAt), ...shown, ...more]);
  };
  return { show, end: (watched) => tell(summary(watched)) };
}

const barWidth = 30;

/** `[#########---------------------]  9 of 30, 1 failed, 4 running, 00:12`. */
function bar({ run, parts }: Watched, elapsedMs: number): string {
  const { profilesTotal: total, profilesDone, profilesFailed } = run;
  const ended = profilesDone + profilesFailed;
  const filled = total === 0 ? barWidth : Math.round((ended / total) * barWidth);
  const running = parts.filter(({ status }) => status === "running").length;
  const secs = Math.floor(elapsedMs / 1000);
  const clock = [Math.floor(secs / 60), secs % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]  ${ended} of ${total}, ${profilesFailed} failed, ${running} running, ${clock}`;
}
