/** Suite `snapshot`: first and repeated snapshots, compared with a bare accessibility fetch and Playwright's snapshot. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { type OpenBrowser, openBrowser } from "../actors/profile/open-browser.ts";
import { createPageVerbs } from "../actors/profile/page/verbs.ts";
import { findChromium } from "../gateway/machine.ts";
import { openRawCdp, type RawCdp } from "./raw-cdp.ts";
import { turnRatio } from "./run/statistics.ts";
import { announce, median, report, samplesTable, type Target } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

/** Table rows: about 3,500 and 35,000 accessibility nodes. */
const sizes = [
  { rows: 318, rounds: 61 },
  { rows: 3_180, rounds: 9 },
];

const names = {
  bareFirst: "getFullAXTree, new page",
  pipedFirst: "the same over our pipe, as we read it",
  treeFirst: "the browser's tree and its first node, new page",
  first: "Troupe, new page",
  bare: "getFullAXTree",
  playwright: "Playwright, ariaSnapshot",
  unchanged: "Troupe, unchanged",
  changed: "Troupe, one row changed (change included)",
  scoped: "Troupe, one row by selector",
};

export async function runSnapshotSuite(): Promise<void> {
  const conditions = announce("snapshot", `pages of ${sizes.map(({ rows }) => rows).join(" and ")} rows`);
  const site = createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(pageOf(Number(request.url?.slice(1))));
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as AddressInfo; // TCP servers have no other kind of address.
  const dir = await mkdtemp(join(tmpdir(), "troupe-bench-"));
  const browser = await open(dir);
  const raw = await openRawCdp(browser.launched.cdpUrl);
  try {
    const results = [];
    for (const size of sizes) results.push(await measure({ browser, raw }, dir, port, size));
    const targets = results.flatMap((result) => result.targets);
    report("snapshot", results.map((result) => result.text).join("\n\n"), targets, {
      ...conditions,
      pages: results.map(({ nodes, samples }) => ({ nodes, samples })),
    });
  } finally {
    raw.close();
    await browser.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    site.closeAllConnections();
    site.close();
  }
}

interface Sides {
  browser: OpenBrowser;
  raw: RawCdp;
}

/**
 * Calls the verb as the profile thread does, without REST. The bare fetch over a WebSocket is what any client pays; our binary pipe,
 * which reads only what a text needs, is shown too.
 */
async function measure({ browser, raw }: Sides, dir: string, port: number, size: (typeof sizes)[number]) {
  const verbs = createPageVerbs(browser.tabs, (work) => work(), dir);
  const url = `http://127.0.0.1:${port}/${size.rows}`;
  const load = () => verbs.navigate({ url });
  await load();
  const { session } = await browser.tabs.current();
  const piped = () => session.send("Accessibility.getFullAXTree", {});
  const bare = () => raw.send("Accessibility.getFullAXTree", {});
  const oneNode = async () => {
    const { root } = await session.send("DOM.getDocument", { depth: 0 });
    const { backendNodeId } = root;
    await session.send("Accessibility.getPartialAXTree", { backendNodeId, fetchRelatives: false });
  };
  const fresh = await takeTurns(
    [
      { name: names.bareFirst, run: bare, after: load },
      { name: names.pipedFirst, run: piped, after: load },
      // What every way over the browser's own tree pays, however little of it is read.
      { name: names.treeFirst, run: oneNode, after: load },
      { name: names.first, run: () => verbs.snapshot({}), after: load },
    ],
    size.rounds,
  );
  const { nodes } = (await bare()) as Awaited<ReturnType<typeof piped>>;
  const { snapshot } = await verbs.snapshot({});
  const client = await chromium.connectOverCDP(browser.launched.cdpUrl);
  const page = client.contexts()[0]?.pages()[0];
  if (page === undefined) throw new Error("the browser shows no page");
  let changes = 0;
  const again = await takeTurns(
    [
      { name: names.bare, run: bare },
      { name: names.playwright, run: () => page.locator("body").ariaSnapshot() },
      { name: names.unchanged, run: () => verbs.snapshot({}) },
      {
        name: names.changed,
        run: async () => {
          changes += 1;
          await verbs.evaluate({ expression: `r7.querySelector("span").textContent = "change ${changes}"` });
          await verbs.snapshot({});
        },
      },
      { name: names.scoped, run: () => verbs.snapshot({ selector: "#r9" }) },
    ],
    size.rounds,
  );
  await client.close();
  return summary(nodes, snapshot, fresh, again);
}

type Samples = Map<string, number[]>;

function summary(nodes: object[], snapshot: string, fresh: Samples, again: Samples) {
  const of = (samples: Samples, name: string) => median(samples.get(name) ?? []);
  const ratio = (name: string) => of(again, name) / of(again, names.bare);
  const bytes = [Buffer.byteLength(snapshot), Buffer.byteLength(JSON.stringify(nodes))] as const;
  const page = `${nodes.length} nodes`;
  const targets: Target[] = [
    {
      what: `${page}: first snapshot over bare fetch`,
      // By turns, because the machine's speed varies.
      figure: turnRatio(fresh.get(names.first) ?? [], fresh.get(names.bareFirst) ?? []),
      limit: 1.2,
    },
    { what: `${page}: unchanged repeat over bare fetch`, figure: ratio(names.unchanged), limit: 0.2 },
    { what: `${page}: scoped over bare fetch`, figure: ratio(names.scoped), limit: 0.2 },
    { what: `${page}: bytes of text over bytes of tree`, figure: bytes[0] / bytes[1], limit: 1 / 3 },
  ];
  const text = [
    `${page}, ${bytes[0]} bytes of text, ${bytes[1]} bytes of tree as JSON`,
    samplesTable(fresh, names.bareFirst, 1),
    samplesTable(again, names.bare, 1),
  ].join("\n");
  const samples = { ...Object.fromEntries(fresh), ...Object.fromEntries(again) };
  return { nodes: nodes.length, text, targets, samples };
}

function open(dir: string): Promise<OpenBrowser> {
  const profileId = "00000000-0000-4000-8000-000000000000";
  const userDataDir = join(dir, "user-data");
  return openBrowser({
    spec: {
      profileId,
      name: "bench",
      os: "linux",
      timezone: "UTC",
      userDataDir,
      uploadsDir: dir,
      fingerprint: null,
      languages: [],
      proxy: null,
    },
    options: { diagnostic: false, headless: true, idleTimeoutSecs: 0 },
    engine: {
      chromiumPath: findChromium(),
      tempDir: dir,
      hasDisplay: false,
      launchesAtOnce: 1,
    },
    onSpawned: () => {},
    signal: new AbortController().signal,
  });
}

function pageOf(rows: number): string {
  const row = (at: number) =>
    `<li id="r${at}"><a href="/item/${at}">Item ${at}</a> <button>Buy ${at}</button> <span>text of ${at}</span></li>`;
  return `<!doctype html><meta charset="utf-8"><title>Rows</title><style>li::before { content: "" } .gone { display: none }</style>
<nav><a href="/">Home</a></nav><main><h1>${rows} rows</h1><label>Search <input type="search"></label>
<ul>${Array.from({ length: rows }, (_, at) => row(at)).join("\n")}</ul></main>`;
}
