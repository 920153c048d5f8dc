/** Suite `verbs`: REST compared with raw CDP, Playwright, Puppeteer and two MCP servers, and verbs on eight profiles at once. */
import { type Crowd, callAtOnce, worstTail } from "./crowd.ts";
import { withPageOf } from "./page-served.ts";
import { installPeers, startPeer } from "./peers.ts";
import { openRawCdp } from "./raw-cdp.ts";
import { roundsOf } from "./run/asked.ts";
import { seriesIn, seriesOf } from "./run/series.ts";
import { turnDifference } from "./run/statistics.ts";
import { type Rest, type Served, withServed } from "./served.ts";
import { announce, median, quantile, report, samplesTable, table } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";
import { besideSeries, besideTargets, clientNames, measureBeside } from "./verbs-beside.ts";
import { measureSnapshots, snapshotNames, snapshotTargets } from "./verbs-mcp.ts";

const usualEvaluateRounds = 160;
const evaluatesPerTurn = 25;
const crowdSize = 8;
const crowdRounds = 3;
const crowdSeconds = 3;
const settleMs = 3_000;
const saturatedShare = 0.9;

const elements = 1_000;

const expression = "document.title.length";
const names = {
  rawEvaluate: "Runtime.evaluate over a raw WebSocket",
  evaluate: "Troupe, evaluate over REST",
};

export async function runVerbsSuite(): Promise<void> {
  await installPeers();
  await withPageOf(elements, (url) => withServed((served) => measureVerbs(served, url)));
}

async function measureVerbs(served: Served, url: string): Promise<void> {
  const { rest } = served;
  const conditions = announce(
    "verbs",
    `evaluate, click among ${elements} elements, type, navigate, snapshot; ${crowdSize} profiles at once`,
  );
  const evaluates = await measureEvaluate(rest, url);
  const beside = await withProfile(rest, url, (id) => measureBeside(rest, id, url));
  const snapshots = await withProfile(rest, url, (id) => measureSnapshots(rest, id, url));
  const { one, many } = await measureCrowd(served, url);
  const added = turnDifference(
    evaluates.get(names.evaluate) ?? [],
    evaluates.get(names.rawEvaluate) ?? [],
    evaluatesPerTurn,
  );
  const speedup = median(many.map(({ rate }) => rate)) / median(one.map(({ rate }) => rate));
  const busy = median(many.map((crowd) => crowd.busy));
  const saturated = busy >= saturatedShare;
  report(
    "verbs",
    [
      samplesTable(evaluates, names.rawEvaluate, 3),
      ...[...beside].map(([verb, samples]) =>
        samplesTable(samples, clientNames.playwright, 1, `${verb}, ms`),
      ),
      ...[...snapshots].map(([what, samples]) => samplesTable(samples, snapshotNames.ours, 1, `${what}, ms`)),
      crowdTable(one, many),
      `eight profiles do ${speedup.toFixed(2)} times the calls of one; cores ${(busy * 100).toFixed(0)} % busy\n`,
    ].join("\n\n"),
    [
      { what: "evaluate over REST, ms above raw CDP", figure: added, limit: 0.5 },
      ...besideTargets(beside),
      ...snapshotTargets(snapshots),
      saturated
        ? {
            what: "share of the cores busy with eight at once",
            figure: busy,
            limit: saturatedShare,
            atLeast: true,
          }
        : { what: "calls of eight at once over calls of one", figure: speedup, limit: 4, atLeast: true },
      { what: "worst p99 over p50 of eight at once", figure: Math.max(...many.map(worstTail)), limit: 10 },
    ],
    {
      ...conditions,
      series: [
        ...seriesOf("evaluate", evaluates, { base: names.rawEvaluate, perTurn: evaluatesPerTurn }),
        ...besideSeries(beside),
        ...[...snapshots].flatMap(([what, samples]) =>
          seriesOf(what, samples, { base: snapshotNames.playwright }),
        ),
        ...seriesIn({ one, many }),
      ],
      one,
      many,
    },
  );
}

async function measureEvaluate(rest: Rest, url: string): Promise<Map<string, number[]>> {
  return withProfile(rest, url, async (id, cdpUrl) => {
    const raw = await openRawCdp(cdpUrl);
    const ours = () => rest.post(`/v1/profiles/${id}/evaluate`, { expression });
    for (const until = performance.now() + settleMs; performance.now() < until; ) await ours(); // Uncounted: lets a new browser finish its delayed start-up work.
    const samples = await takeTurns(
      [
        {
          name: names.rawEvaluate,
          run: () => raw.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }),
        },
        { name: names.evaluate, run: ours },
      ],
      roundsOf(usualEvaluateRounds),
      evaluatesPerTurn,
    );
    raw.close();
    return samples;
  });
}

async function measureCrowd(
  { rest, apiUrl, token }: Served,
  url: string,
): Promise<{ one: Crowd[]; many: Crowd[] }> {
  const ids = await rest.createProfiles(crowdSize);
  await Promise.all(
    ids.map(async (id) => {
      await rest.launch(id);
      await rest.post(`/v1/profiles/${id}/navigate`, { url });
    }),
  );
  const load = await startPeer("load.mjs");
  const paths = ids.map((id) => `/v1/profiles/${id}/evaluate`);
  const call = (callers: number) =>
    callAtOnce(
      load,
      { url: apiUrl, token, paths: paths.slice(0, callers), body: { expression } },
      crowdSeconds,
    );
  const one: Crowd[] = [];
  const many: Crowd[] = [];
  try {
    await call(crowdSize); // Uncounted: lets a new browser finish its delayed start-up work.
    for (let round = 0; round < crowdRounds; round++) {
      one.push(await call(1));
      many.push(await call(crowdSize));
    }
  } finally {
    await load.end();
  }
  await Promise.all(ids.map((id) => rest.stop(id)));
  return { one, many };
}

function crowdTable(one: Crowd[], many: Crowd[]): string {
  const row = (name: string, crowds: Crowd[]) => {
    const taken = crowds.flatMap(({ latencies }) => latencies.flat());
    return [
      name,
      median(crowds.map(({ rate }) => rate)).toFixed(0),
      ...[0.5, 0.95, 0.99].map((at) => quantile(taken, at).toFixed(2)),
      Math.max(...crowds.map(worstTail)).toFixed(1),
      `${(median(crowds.map(({ busy }) => busy)) * 100).toFixed(0)} %`,
    ];
  };
  return table([
    ["evaluate", "calls/s", "p50 ms", "p95 ms", "p99 ms", "worst p99/p50", "cores busy"],
    row("one profile", one),
    row(`${crowdSize} profiles at once`, many),
  ]);
}

async function withProfile<Result>(
  rest: Rest,
  url: string,
  measure: (id: string, cdpUrl: string) => Promise<Result>,
): Promise<Result> {
  const [id = ""] = await rest.createProfiles(1);
  const { cdpUrl } = await rest.launch(id);
  await rest.post(`/v1/profiles/${id}/navigate`, { url });
  const result = await measure(id, cdpUrl);
  await rest.stop(id);
  return result;
}
