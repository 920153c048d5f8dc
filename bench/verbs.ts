/** Suite `verbs`: what REST costs beside raw CDP and beside Playwright, and verbs on eight profiles at once. */
import { chromium, type Page } from "playwright-core";
import type { WaitForElementReply } from "../protocol/requests.ts";
import { type Crowd, callAtOnce, worstTail } from "./crowd.ts";
import { withBareBrowser } from "./launchers.ts";
import { withPageOf } from "./page-served.ts";
import { openRawCdp } from "./raw-cdp.ts";
import { type Rest, withServed } from "./served.ts";
import { announce, median, quantile, report, samplesTable, table } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

const evaluateRounds = 160;
const evaluatesPerTurn = 25;
const clickRounds = 30;
const clicksPerTurn = 5;
const crowdSize = 8;
const crowdRounds = 3;
const crowdMs = 3_000;
/** The rest is the scheduler's. */
const saturatedShare = 0.9;

const elements = 1_000;
/** Every fifth element is clicked in turn: some of them are out of sight and must be scrolled to. */
const clicked = Array.from({ length: elements / 5 }, (_, at) => at * 5);

const expression = "document.title.length";
const names = {
  rawEvaluate: "Runtime.evaluate over a raw WebSocket",
  evaluate: "Troupe, evaluate over REST",
  locatorClick: "Playwright, locator.click()",
  click: "Troupe, click over REST",
};

export async function runVerbsSuite(): Promise<void> {
  await withPageOf(elements, (url) => withServed(({ rest }) => measureVerbs(rest, url)));
}

async function measureVerbs(rest: Rest, url: string): Promise<void> {
  const conditions = announce(
    "verbs",
    `evaluate, click among ${elements} elements, ${crowdSize} profiles at once`,
  );
  const evaluates = await measureEvaluate(rest, url);
  const clicks = await measureClick(rest, url);
  const { one, many } = await measureCrowd(rest, url);
  const medianOf = (samples: Map<string, number[]>, name: string) => median(samples.get(name) ?? []);
  const added = medianOf(evaluates, names.evaluate) - medianOf(evaluates, names.rawEvaluate);
  const speedup = median(many.map(({ rate }) => rate)) / median(one.map(({ rate }) => rate));
  const busy = median(many.map((crowd) => crowd.busy));
  const saturated = busy >= saturatedShare;
  report(
    "verbs",
    [
      samplesTable(evaluates, names.rawEvaluate, 3),
      samplesTable(clicks, names.locatorClick, 1),
      crowdTable(one, many),
      `eight profiles do ${speedup.toFixed(2)} times the calls of one; cores ${(busy * 100).toFixed(0)} % busy\n`,
    ].join("\n\n"),
    [
      { what: "evaluate over REST, ms above raw CDP", figure: added, limit: 0.5 },
      {
        what: "click over Playwright's",
        figure: medianOf(clicks, names.click) / medianOf(clicks, names.locatorClick),
        limit: 1,
      },
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
      evaluates: Object.fromEntries(evaluates),
      clicks: Object.fromEntries(clicks),
      one,
      many,
    },
  );
}

async function measureEvaluate(rest: Rest, url: string): Promise<Map<string, number[]>> {
  return withProfile(rest, url, async (id, cdpUrl) => {
    const raw = await openRawCdp(cdpUrl);
    const samples = await takeTurns(
      [
        {
          name: names.rawEvaluate,
          run: () => raw.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }),
        },
        { name: names.evaluate, run: () => rest.post(`/v1/profiles/${id}/evaluate`, { expression }) },
      ],
      evaluateRounds,
      evaluatesPerTurn,
    );
    raw.close();
    return samples;
  });
}

/** Each has a browser of its own that it alone drives; the elements are found beforehand on both sides. */
async function measureClick(rest: Rest, url: string): Promise<Map<string, number[]>> {
  return withProfile(rest, url, (id) =>
    withBareBrowser(async (cdpUrl) => {
      const theirs = await chromium.connectOverCDP(cdpUrl);
      const page = theirs.contexts()[0]?.pages()[0];
      if (page === undefined) throw new Error("Playwright sees no page");
      await page.goto(url);
      const nodeIds: number[] = [];
      for (const at of clicked) {
        const selector = `#b${at}`;
        const reply: WaitForElementReply = await rest.post(`/v1/profiles/${id}/wait-for-element`, {
          selector,
        });
        nodeIds.push(reply.node_id);
      }
      const samples = await takeTurns(
        [ourClicks(rest, id, nodeIds), theirClicks(page)],
        clickRounds,
        clicksPerTurn,
      );
      const counts = [await page.evaluate("count"), await countOf(rest, id)];
      const expected = (clickRounds + 1) * clicksPerTurn;
      if (counts.some((count) => count !== expected))
        throw new Error(`of ${expected} clicks the pages counted ${counts.join(" and ")}`);
      await theirs.close();
      return samples;
    }),
  );
}

function ourClicks(rest: Rest, id: string, nodeIds: number[]) {
  let done = 0;
  return {
    name: names.click,
    run: () => rest.post(`/v1/profiles/${id}/click`, { node_id: nodeIds[done++ % nodeIds.length] }),
  };
}

function theirClicks(page: Page) {
  const locators = clicked.map((at) => page.locator(`#b${at}`));
  let done = 0;
  return { name: names.locatorClick, run: async () => locators[done++ % locators.length]?.click() };
}

async function countOf(rest: Rest, id: string): Promise<unknown> {
  const reply: { result: unknown } = await rest.post(`/v1/profiles/${id}/evaluate`, { expression: "count" });
  return reply.result;
}

async function measureCrowd(rest: Rest, url: string): Promise<{ one: Crowd[]; many: Crowd[] }> {
  const ids = await rest.createProfiles(crowdSize);
  await Promise.all(
    ids.map(async (id) => {
      await rest.launch(id);
      await rest.post(`/v1/profiles/${id}/navigate`, { url });
    }),
  );
  const callers = ids.map((id) => () => rest.post(`/v1/profiles/${id}/evaluate`, { expression }));
  const one: Crowd[] = [];
  const many: Crowd[] = [];
  await callAtOnce(callers, crowdMs); // Not counted: what starts late in a new browser has its time.
  for (let round = 0; round < crowdRounds; round++) {
    one.push(await callAtOnce(callers.slice(0, 1), crowdMs));
    many.push(await callAtOnce(callers, crowdMs));
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
