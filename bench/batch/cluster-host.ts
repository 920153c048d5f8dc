/**
 * Entry of `dist/batch-cluster.js`: runs a batch with puppeteer-cluster in its own process, with one browser and user data directory per
 * job. The argument is a PeerOrder as JSON; prints a PeerReport as one line.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import puppeteer, { type Browser } from "puppeteer";
import { Cluster } from "puppeteer-cluster";
import Concurrency from "puppeteer-cluster/dist/concurrency/ConcurrencyImplementation.js";
import { noSandbox, type PeerOrder, type PeerReport, screenSwitches } from "./order.ts";
import run from "./shopper-puppeteer.ts";

const order: PeerOrder = JSON.parse(process.argv[2] ?? "{}");
const { devices, concurrency, chromiumPath, tempDir, variables } = order;
const log = { debug() {}, info() {}, warn() {}, error() {} };
let opened = 0;

/** Gives each job its own browser, as profiles have. The library's concurrency models share a browser among jobs. */
class BrowserPerJob extends Concurrency.default {
  async init() {}
  async close() {}
  async workerInstance() {
    return {
      jobInstance: async () => {
        opened += 1;
        const browser: Browser = await puppeteer.launch({
          executablePath: chromiumPath,
          userDataDir: join(tempDir, `user-data-${opened}`),
          args: [...noSandbox, ...screenSwitches(devices[opened - 1])],
          defaultViewport: null,
        });
        const [page] = await browser.pages();
        if (page === undefined) throw new Error("the browser shows no page");
        return { resources: { page }, close: () => browser.close() };
      },
      close: async () => {},
      repair: async () => {},
    };
  }
}

const cluster = await Cluster.launch({
  concurrency: BrowserPerJob,
  maxConcurrency: concurrency,
  timeout: 30 * 60_000,
  puppeteer,
});
const report: PeerReport = { ms: 0, totals: [], errors: [] };
await cluster.task(async ({ page, data: number }) => {
  const scratchDir = join(tempDir, `scratch-${number}`);
  await mkdir(scratchDir, { recursive: true });
  const profile = { id: String(number), name: `Shopper ${number}` };
  const { totalCents } = await run({ page, profile, variables, log, scratchDir });
  report.totals.push(totalCents);
});
cluster.on("taskerror", (error: Error) => report.errors.push(error.message));
const from = performance.now();
for (let number = 1; number <= devices.length; number += 1) void cluster.queue(number); // The `taskerror` event reports errors.
await cluster.idle();
await cluster.close();
report.ms = performance.now() - from;
process.stdout.write(`${JSON.stringify(report)}\n`);
