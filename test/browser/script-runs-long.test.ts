/** Scripts on a real browser: what they receive, and what a run returns. */
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { probeIsolation } from "../../actors/script/isolation.ts";
import { openScriptBench, type ScriptBench } from "./script-bench.ts";

let bench: ScriptBench;
before(async () => {
  bench = await openScriptBench();
});
after(() => bench.close());

describe("a script", () => {
  it("drives the profile's page with Playwright, and returns a result, rows, a log and files", async () => {
    const job = bench.job(
      `
      import type { Page } from "playwright-core";
      import { type ScriptContext } from "@troupe/script";
      interface Row { title: string }
      type Given = Record<string, never>;
      export default async function run({ page, browser, variables, profile, run: self, output, log, scratchDir, row, rows }: Given) {
        if (browser.contexts()[0].pages()[0] !== page) throw new Error("another page");
        await (page as Page).goto(variables.site);
        await page.locator("#buy").click();
        output({ title: await page.title() } satisfies Row);
        log.info("bought by", profile.name, self.id, { row, rows });
        console["warn"]("careful");
        await page.screenshot({ path: scratchDir + "/shots/one.png" });
        const download = page.waitForEvent("download");
        await page.click("#file");
        await (await download).saveAs(scratchDir + "/report.csv");
        return { heading: await page.locator("h1").innerText() };
      }`,
      { row: { email: "ada@shop" }, rows: [{ email: "ada@shop" }] },
    );
    const outcome = await bench.host.run(job);
    const files = [path.join(job.scratchDir, "report.csv"), path.join(job.scratchDir, "shots/one.png")];
    assert.deepEqual(outcome, {
      status: "completed",
      error: null,
      result: { heading: "Thanks" },
      output: [{ title: "Bought" }],
      log: [
        `info: bought by Ada ${job.runId} { row: { email: 'ada@shop' }, rows: [ { email: 'ada@shop' } ] }`,
        "warn: careful",
      ],
      files,
      launchMs: null,
      isolation: (await probeIsolation()).level,
    });
    assert.equal(await readFile(path.join(job.scratchDir, "report.csv"), "utf8"), "a,b\n1,2\n");
  });

  it("drives the profile's page with Puppeteer, in its own size", async () => {
    const outcome = await bench.run(
      `import { connect } from "puppeteer-core";
      export default async function run({ page, browser, cdpUrl, variables, uploadsDir }: Record<string, never>) {
        const own = await connect({ browserURL: cdpUrl, defaultViewport: null });
        if (own !== browser) throw new Error("another browser");
        const size = () => page.evaluate(() => [innerWidth, innerHeight]);
        const before = await size();
        await page.goto(variables.site);
        await page.locator("#buy").click();
        await (await page.$("#upload")).uploadFile(uploadsDir + "/photo.txt");
        const file = await page.$eval("#upload", (input: HTMLInputElement) => input.files?.[0]?.name);
        return { title: await page.title(), same: String(before) === String(await size()), file };
      }`,
      { library: "puppeteer" },
    );
    assert.deepEqual(
      [outcome.error, outcome.result],
      [null, { title: "Bought", same: true, file: "photo.txt" }],
    );
  });

  it("gets the attached browser from connectOverCDP", async () => {
    const outcome = await bench.run(`
      import { chromium } from "playwright";
      export default async ({ browser, cdpUrl }) => (await chromium.connectOverCDP(cdpUrl)) === browser;`);
    assert.deepEqual([outcome.error, outcome.result], [null, true]);
  });

  it("gets the real cdpUrl only when it is approved", async () => {
    const source = "export default async ({ cdpUrl }) => cdpUrl;";
    const approved = await bench.run(source, { library: "puppeteer" });
    assert.equal(approved.result, bench.cdpUrl);
    // No unapproved script runs while a page of this machine is open.
    await bench.run("export default ({ page }) => page.goto('about:blank');");
    const job = bench.job(source, { library: "puppeteer", approved: false });
    assert.equal((await bench.host.run(job)).result, `cdp://run/${job.runId}`);
  });

  for (const [title, source, error] of [
    [
      "throws",
      "\ninterface Cart {\n  total: number;\n}\nfunction pay(cart: Cart): never {\n  throw new TypeError('no ' + cart.total);\n}\nexport default async function run() {\n  pay({ total: 5 });\n}",
      /^TypeError: no 5 \(script\.ts:6:9\)$/,
    ],
    [
      "waits for a missing element",
      "type Nothing = null;\n\nexport default async function run({ page }) {\n  await page.locator('#no').click({ timeout: 50 });\n}",
      /Timeout 50ms exceeded\. \(script\.ts:4:\d+\)\nCall log/,
    ],
    [
      "has an unhandled rejection",
      "export default async function run({ sleep }) {\n  void Promise.reject(new Error('lost'));\n  await sleep(10_000);\n}",
      /^lost \(script\.ts:2:\d+\)$/,
    ],
  ] as const)
    it(`that ${title} fails with its own line`, async () => {
      const outcome = await bench.run(source);
      assert.equal(outcome.status, "failed");
      assert.match(outcome.error ?? "", error);
      assert.ok(outcome.log.every((line) => !line.includes("runner.js")));
    });

  it("that does not parse fails with the line", async () => {
    assert.match((await bench.run("const a = 1;\nconst b = ;")).error ?? "", /script\.ts:2/);
  });

  it("whose result is too large fails with the size", async () => {
    const outcome = await bench.run('export default async () => "x".repeat(70_000);', {
      library: "puppeteer",
    });
    assert.match(outcome.error ?? "", /returned 70002 bytes/);
  });

  it("that leaves no file leaves no directory", async () => {
    const job = bench.job("export default async () => undefined;", { library: "puppeteer" });
    assert.deepEqual((await bench.host.run(job)).files, []);
    await assert.rejects(stat(job.scratchDir));
  });

  it("uses the warm runner of its own library only", async () => {
    void bench.host.warm({ library: "puppeteer", approved: true });
    assert.equal((await bench.run("export default async () => 1;")).result, 1);
    assert.equal((await bench.run("export default async () => 2;", { library: "puppeteer" })).result, 2);
  });

  it("cannot close the browser with browser.close()", async () => {
    const close = "export default async ({ browser }) => { await browser.close(); };";
    assert.equal((await bench.run(close)).status, "completed");
    assert.match((await bench.run(close, { library: "puppeteer" })).error ?? "", /close is refused/);
    const probe = await fetch(`${bench.cdpUrl}/json/version`);
    assert.equal(probe.status, 200);
    await probe.text();
  });
});
