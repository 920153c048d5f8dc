/**
 * Entry of `dist/batch-crawlee.js`: runs a batch with Crawlee's browser-pool and Playwright in its own process, with one browser and user
 * data directory per page. The argument is a PeerOrder as JSON; prints a PeerReport as one line.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import run from "../demo/shopper-script.ts";
import { importPeer } from "../peers.ts";
import { noSandbox, type PeerOrder, type PeerReport, screenSwitches } from "./order.ts";

interface BrowserPool {
  newPage(): Promise<Page>;
  getBrowserControllerByPage(page: Page): { close(): Promise<void> } | undefined;
  destroy(): Promise<void>;
}
interface LaunchContext {
  userDataDir: string;
  launchOptions: { args?: string[]; viewport?: null };
}

const order: PeerOrder = JSON.parse(process.argv[2] ?? "{}");
const { devices, concurrency, chromiumPath, tempDir, variables } = order;
const log = { debug() {}, info() {}, warn() {}, error() {} };
let opened = 0;

const { BrowserPool, PlaywrightPlugin } = await importPeer("@crawlee/browser-pool");
const launchOptions = { executablePath: chromiumPath, headless: true };
const pool: BrowserPool = new BrowserPool({
  browserPlugins: [new PlaywrightPlugin(chromium, { launchOptions })],
  maxOpenPagesPerBrowser: 1,
  retireBrowserAfterPageCount: 1,
  useFingerprints: false,
  operationTimeoutSecs: 120,
  preLaunchHooks: [
    (_pageId: string, context: LaunchContext) => {
      context.userDataDir = join(tempDir, `user-data-${opened + 1}`);
      context.launchOptions.viewport = null;
      context.launchOptions.args = [...noSandbox, ...screenSwitches(devices[opened])];
      opened += 1;
    },
  ],
});

async function shop(number: number): Promise<number> {
  const page = await pool.newPage();
  try {
    const scratchDir = join(tempDir, `scratch-${number}`);
    await mkdir(scratchDir, { recursive: true });
    const profile = { id: String(number), name: `Shopper ${number}` };
    return (await run({ page, profile, variables, log, scratchDir })).totalCents;
  } finally {
    await pool.getBrowserControllerByPage(page)?.close();
  }
}

const report: PeerReport = { ms: 0, totals: [], errors: [] };
const numbers = devices.map((_, at) => at + 1);
const from = performance.now();
const worker = async () => {
  for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
    try {
      report.totals.push(await shop(number));
    } catch (error) {
      report.errors.push(String(error));
    }
  }
};
await Promise.all(Array.from({ length: concurrency }, worker));
await pool.destroy();
report.ms = performance.now() - from;
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0); // Crawlee keeps a timer.
