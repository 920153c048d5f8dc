/** A browser's files for a script count as the script's own, and end with it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { openScriptBench, type ScriptBench } from "../../browser/script-bench.ts";

let bench: ScriptBench;
let endless: http.Server;
let site = "";
let hungUp: Promise<unknown>;
before(async () => {
  bench = await openScriptBench();
  endless = http.createServer((request, reply) => {
    if (request.url !== "/file")
      return void reply.setHeader("content-type", "text/html").end("<title>Site</title>");
    hungUp = once(reply, "close");
    reply.setHeader("content-disposition", "attachment; filename=file.bin");
    const part = Buffer.alloc(1024 ** 2);
    const more = () => {
      while (reply.write(part));
    };
    reply.on("drain", more);
    more();
  });
  endless.listen(0, "127.0.0.1");
  await once(endless, "listening");
  site = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
});
after(async () => {
  await bench.close();
  endless.closeAllConnections();
  endless.close();
});

describe("an endless download ends the run, and is cancelled with it,", () => {
  for (const [how, library, source] of [
    [
      "when a page starts it for Playwright",
      "playwright",
      "export default async ({ page, variables, sleep }) => { await page.goto(variables.site); await page.evaluate(() => { location.href = '/file'; }); await sleep(60_000); };",
    ],
    [
      "when a script starts it over CDP without events",
      "puppeteer",
      `export default async ({ page, variables, sleep, scratchDir }) => {
        await page.goto(variables.site);
        const cdp = await page.createCDPSession();
        await cdp.send("Page.setDownloadBehavior", { behavior: "allow", downloadPath: scratchDir });
        await page.evaluate(() => { location.href = '/file'; });
        await sleep(60_000);
      };`,
    ],
  ] as const)
    it(how, async () => {
      const { error, files } = await bench.run(source, { library, variables: { site } });
      assert.deepEqual([error, files], ["the script kept more than 256 MiB of files", []]);
      await Promise.race([
        hungUp,
        once(AbortSignal.timeout(10_000), "abort").then(() => assert.fail("the download continues")),
      ]);
    });
});
