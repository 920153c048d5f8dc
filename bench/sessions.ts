/** One browser session per contestant, as documented by each: create, connect over CDP, goto, release. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { Cluster } from "puppeteer-cluster";
import Concurrency from "puppeteer-cluster/dist/concurrency/ConcurrencyImplementation.js";
import puppeteer from "puppeteer-core";
import { noSignals } from "./launchers.ts";
import { importPeer } from "./peers.ts";
import { endsWithBench, owned } from "./run/ending.ts";
import type { Rest } from "./served.ts";

export interface SessionTimes {
  create: number;
  connect: number;
  goto: number;
  release: number;
}

export type RunSession = (url: string) => Promise<SessionTimes>;

export interface Sessions {
  provider: string;
  run: RunSession;
  close(): Promise<void>;
}

interface Goes {
  goto(url: string, options: { waitUntil: "domcontentloaded" }): Promise<unknown>;
}

interface Stages<Created, Connected> {
  create(): Promise<Created>;
  connect(created: Created): Promise<{ page: Goes | undefined; connected: Connected }>;
  release(created: Created, connected: Connected | undefined): Promise<unknown>;
}

async function timed<Created, Connected>(
  url: string,
  stages: Stages<Created, Connected>,
): Promise<SessionTimes> {
  const marks = [performance.now()];
  const mark = () => void marks.push(performance.now());
  const created = await stages.create();
  mark();
  let connected: Connected | undefined;
  try {
    const found = await stages.connect(created);
    connected = found.connected;
    if (found.page === undefined) throw new Error("the browser shows no page");
    mark();
    await found.page.goto(url, { waitUntil: "domcontentloaded" });
    mark();
  } finally {
    await stages.release(created, connected);
  }
  mark();
  const [create = 0, connect = 0, goto = 0, release = 0] = marks
    .slice(1)
    .map((at, index) => at - (marks[index] ?? 0));
  return { create, connect, goto, release };
}

const noSandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

interface TroupeSession {
  id: string;
  cdpUrl: string;
}

export function troupeSessions(rest: Rest, client: "playwright" | "puppeteer"): Sessions {
  const create = async (): Promise<TroupeSession> => {
    const [id = ""] = await rest.createProfiles(1);
    const { cdpUrl } = await rest.launch(id);
    return { id, cdpUrl };
  };
  const byPlaywright = {
    create,
    connect: async ({ cdpUrl }: TroupeSession) => {
      const connected = await chromium.connectOverCDP(cdpUrl);
      return { page: connected.contexts()[0]?.pages()[0], connected };
    },
    release: ({ id }: TroupeSession) => rest.stop(id),
  };
  const byPuppeteer = {
    create,
    connect: async ({ cdpUrl }: TroupeSession) => {
      const connected = await puppeteer.connect({ browserURL: cdpUrl, defaultViewport: null });
      const [page] = await connected.pages();
      return { page, connected };
    },
    release: ({ id }: TroupeSession) => rest.stop(id),
  };
  return {
    provider: `TROUPE_${client.toUpperCase()}`,
    run: (url) => (client === "playwright" ? timed(url, byPlaywright) : timed(url, byPuppeteer)),
    close: async () => {},
  };
}

interface PlaywrightSession {
  context: BrowserContext;
  end(): Promise<void>;
}

/** A persistent context, because it has its own user data directory like a profile. */
export function playwrightSessions(executablePath: string): Sessions {
  const stages = {
    create: async () => {
      const dir = await mkdtemp(join(tmpdir(), "troupe-bench-playwright-"));
      const options = { executablePath, args: noSandbox, ...noSignals };
      const context = await chromium.launchPersistentContext(dir, options);
      const end = owned(async () => {
        await context.close();
        await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
      });
      return { context, end };
    },
    connect: async ({ context }: PlaywrightSession) => ({
      page: context.pages()[0],
      connected: null,
    }),
    release: ({ end }: PlaywrightSession) => end(),
  };
  return { provider: "PLAYWRIGHT", run: (url) => timed(url, stages), close: async () => {} };
}

const puppeteerLaunch = (executablePath: string) =>
  puppeteer.launch({ executablePath, args: noSandbox, ...noSignals });
type PuppeteerBrowser = Awaited<ReturnType<typeof puppeteerLaunch>>;

const puppeteerStages = (create: () => Promise<PuppeteerBrowser>) => ({
  create,
  connect: async (browser: PuppeteerBrowser) => ({ page: (await browser.pages())[0], connected: null }),
  release: (browser: PuppeteerBrowser) => browser.close(),
});

export function puppeteerSessions(executablePath: string): Sessions {
  const stages = puppeteerStages(() => puppeteerLaunch(executablePath));
  return { provider: "PUPPETEER", run: (url) => timed(url, stages), close: async () => {} };
}

/** A browser per job, like profiles. The library's own models share browsers. */
export async function clusterSessions(executablePath: string, atOnce: number): Promise<Sessions> {
  const createdAts = new WeakMap<object, number>();
  class BrowserPerJob extends Concurrency.default {
    async init() {}
    async close() {}
    async workerInstance() {
      const jobInstance = async () => {
        const browser = await puppeteerLaunch(executablePath);
        const createdAt = performance.now();
        const [page] = await browser.pages();
        if (page === undefined) throw new Error("the browser shows no page");
        createdAts.set(page, createdAt);
        return { resources: { page }, close: () => browser.close() };
      };
      return { jobInstance, close: async () => {}, repair: async () => {} };
    }
  }
  const cluster = await Cluster.launch({
    concurrency: BrowserPerJob,
    maxConcurrency: atOnce,
    timeout: 120_000,
    puppeteer,
  });
  const run: RunSession = async (url) => {
    const from = performance.now();
    const task = async ({ page }: { page: Goes }) => {
      const connectedAt = performance.now();
      await page.goto(url, { waitUntil: "domcontentloaded" });
      return { createdAt: createdAts.get(page) ?? connectedAt, connectedAt, wentAt: performance.now() };
    };
    const { createdAt, connectedAt, wentAt } = await cluster.execute(null, task);
    const release = performance.now() - wentAt;
    return {
      create: createdAt - from,
      connect: connectedAt - createdAt,
      goto: wentAt - connectedAt,
      release,
    };
  };
  return { provider: "PUPPETEER_CLUSTER", run, close: () => cluster.close() };
}

interface BrowserPool {
  newPage(): Promise<Page>;
  getBrowserControllerByPage(page: Page): { close(): Promise<void> } | undefined;
  destroy(): Promise<void>;
}

export async function browserPoolSessions(executablePath: string): Promise<Sessions> {
  const { BrowserPool, PlaywrightPlugin } = await importPeer("@crawlee/browser-pool");
  const plugin = new PlaywrightPlugin(chromium, {
    launchOptions: { executablePath, headless: true, args: noSandbox, ...noSignals },
  });
  const pool: BrowserPool = new BrowserPool({
    browserPlugins: [plugin],
    maxOpenPagesPerBrowser: 1,
    retireBrowserAfterPageCount: 1,
    useFingerprints: false,
    operationTimeoutSecs: 120,
  });
  const closed = endsWithBench(() => pool.destroy());
  const stages = {
    create: () => pool.newPage(),
    connect: async (page: Page) => ({ page, connected: null }),
    release: async (page: Page) => pool.getBrowserControllerByPage(page)?.close(),
  };
  return {
    provider: "CRAWLEE_BROWSER_POOL",
    run: (url) => timed(url, stages),
    close: async () => {
      closed();
      await pool.destroy();
    },
  };
}
