/** Suite `lifecycle`: concurrent sessions from create to release, in the format of the public browserarena benchmarks. */
import { randomUUID } from "node:crypto";
import { findChromium } from "../gateway/machine.ts";
import { withPageOf } from "./page-served.ts";
import { installPeers } from "./peers.ts";
import { roundsOf } from "./run/asked.ts";
import { type Series, seriesOf } from "./run/series.ts";
import { turnRatio } from "./run/statistics.ts";
import { type Rest, type Served, withServed } from "./served.ts";
import {
  browserPoolSessions,
  clusterSessions,
  playwrightSessions,
  puppeteerSessions,
  type Sessions,
  type SessionTimes,
  troupeSessions,
} from "./sessions.ts";
import { announce, keepBeside, median, report, samplesTable, type Target } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

const crowds = [
  { atOnce: 1, usualRounds: 12 },
  { atOnce: 4, usualRounds: 6 },
  { atOnce: 8, usualRounds: 6 },
  { atOnce: 16, usualRounds: 4 },
];
/** The required lead by number of sessions; otherwise 1. */
const aheadBy: Record<number, number> = { 8: 1.2 };

const names = {
  ours: "Troupe, attached by Playwright",
  oursPuppeteer: "Troupe, attached by Puppeteer",
  playwright: "Playwright, launchPersistentContext",
  puppeteer: "Puppeteer, launch",
  cluster: "puppeteer-cluster, a browser for each job",
  crawlee: "Crawlee's browser-pool, a browser for each page",
} as const;
const peers = [names.playwright, names.puppeteer, names.cluster, names.crawlee];
const ours = [names.ours, names.oursPuppeteer];

export async function runLifecycleSuite(): Promise<void> {
  await installPeers();
  const conditions = announce(
    "lifecycle",
    `sessions of create, connect, goto and release, ${crowds.map(({ atOnce }) => atOnce).join(", ")} at once`,
  );
  await withPageOf(100, (url) =>
    withServed(async (served) => {
      const taken: Crowd[] = [];
      for (const { atOnce, usualRounds } of crowds)
        taken.push(await measureCrowd(served, url, atOnce, roundsOf(usualRounds)));
      report("lifecycle", taken.map(crowdText).join("\n\n"), taken.flatMap(targetsOf), {
        ...conditions,
        series: taken.flatMap(crowdSeries),
      });
      keepBeside("lifecycle.jsonl", taken.flatMap(({ lines }) => lines).join(""));
    }),
  );
}

interface Crowd {
  atOnce: number;
  /** Milliseconds until the last session of a round was released. */
  waves: Map<string, number[]>;
  sessions: Map<string, number[]>;
  stages: Map<string, SessionTimes[]>;
  lines: string[];
}

async function measureCrowd(
  { rest, atRest }: Served,
  url: string,
  atOnce: number,
  rounds: number,
): Promise<Crowd> {
  const contestants = await contestantsFor(rest, atOnce);
  const crowd: Crowd = { atOnce, waves: new Map(), sessions: new Map(), stages: new Map(), lines: [] };
  const kinds = contestants.map(([name, { provider, run }]) => {
    let isWarm = false;
    crowd.stages.set(name, []); // Fixes the order, whoever starts.
    crowd.sessions.set(name, []);
    return {
      name,
      run: async () => {
        const ended = await Promise.allSettled(Array.from({ length: atOnce }, () => run(url)));
        const times = ended.map((one) => {
          if (one.status === "rejected") throw one.reason; // Only after the others have ended their browsers.
          return one.value;
        });
        if (isWarm) note(crowd, name, provider, times);
        isWarm = true;
      },
      after: async () => {
        if (ours.some((one) => one === name)) await atRest();
      },
    };
  });
  try {
    crowd.waves = await takeTurns(kinds, rounds);
  } finally {
    for (const [, sessions] of contestants) await sessions.close();
  }
  return crowd;
}

async function contestantsFor(rest: Rest, atOnce: number): Promise<[string, Sessions][]> {
  const chromiumPath = findChromium();
  return [
    [names.ours, troupeSessions(rest, "playwright")],
    [names.oursPuppeteer, troupeSessions(rest, "puppeteer")],
    [names.playwright, playwrightSessions(chromiumPath)],
    [names.puppeteer, puppeteerSessions(chromiumPath)],
    [names.cluster, await clusterSessions(chromiumPath, atOnce)],
    [names.crawlee, await browserPoolSessions(chromiumPath)],
  ];
}

export function arenaLine(provider: string, concurrency: number, times: SessionTimes): object {
  return {
    created_at: new Date().toISOString(),
    id: randomUUID(),
    session_creation_ms: Math.round(times.create),
    session_connect_ms: Math.round(times.connect),
    page_goto_ms: Math.round(times.goto),
    session_release_ms: Math.round(times.release),
    provider,
    concurrency,
    success: true,
    error_stage: null,
    error_message: null,
    error_screenshot_path: null,
  };
}

const totalOf = ({ create, connect, goto, release }: SessionTimes) => create + connect + goto + release;

function note(crowd: Crowd, name: string, provider: string, times: readonly SessionTimes[]): void {
  crowd.stages.set(name, [...(crowd.stages.get(name) ?? []), ...times]);
  crowd.sessions.set(name, [...(crowd.sessions.get(name) ?? []), median(times.map(totalOf))]);
  for (const one of times) {
    crowd.lines.push(`${JSON.stringify(arenaLine(provider, crowd.atOnce, one))}\n`);
  }
}

const stageNames = ["create", "connect", "goto", "release"] as const;

function crowdText({ atOnce, waves, sessions, stages }: Crowd): string {
  const heading = `${atOnce} at once, ms`;
  const parts = [...stages].map(([name, times]) => {
    const each = stageNames.map((stage) => `${stage} ${median(times.map((one) => one[stage])).toFixed(0)}`);
    return `  ${name}: ${each.join(", ")}`;
  });
  return [
    samplesTable(sessions, names.playwright, 1, `${heading}, a session (median of each round)`),
    samplesTable(waves, names.playwright, 1, `${heading}, all`),
    ...parts,
  ].join("\n");
}

/** Users may attach either client, so the faster one counts. */
function targetsOf({ atOnce, waves }: Crowd): Target[] {
  const over = (peer: string) =>
    Math.max(...ours.map((name) => turnRatio(waves.get(peer) ?? [], waves.get(name) ?? [])));
  return peers.map((peer) => ({
    what: `${atOnce} at once: time of ${peer} over ours`,
    figure: over(peer),
    limit: aheadBy[atOnce] ?? 1,
    atLeast: true,
  }));
}

function crowdSeries({ atOnce, waves, sessions, stages }: Crowd): Series[] {
  const base = { base: names.playwright };
  return [
    ...seriesOf(`${atOnce} at once`, waves, base),
    ...seriesOf(`a session, ${atOnce} at once`, sessions, base),
    ...stageNames.flatMap((stage) =>
      seriesOf(
        `${stage}, ${atOnce} at once`,
        new Map([...stages].map(([name, times]) => [name, times.map((one) => one[stage])])),
        { ...base, perTurn: atOnce },
      ),
    ),
  ];
}
