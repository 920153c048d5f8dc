/** What an unapproved script cannot leave in the browser, and what it cannot find there. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createTestProfile, makeDir, removeDir } from "../../browser/fixture/profile.ts";
import { openScriptBench, type ScriptBench } from "../../browser/script-bench.ts";
import { conflict } from "../../conflict.ts";
import { until } from "../../gateway/serve.ts";

let bench: ScriptBench;
before(async () => {
  bench = await openScriptBench();
});
after(() => bench.close());

/** A script that answers for an origin of its own, and registers a service worker there. */
const worker = `export default async ({ page }) => {
  await page.context().route("https://bank.test/**", (route) => {
    const isWorker = route.request().url().endsWith("/sw.js");
    return route.fulfill({ contentType: isWorker ? "text/javascript" : "text/html", body: isWorker ? "" : "<p>bank" }).catch(() => route.abort());
  });
  await page.goto("https://bank.test/");
  const register = () => navigator.serviceWorker.register("/sw.js").then(() => "registered");
  const result = await page.evaluate(register).catch((error) => error.message);
  await page.goto("about:blank");
  return result;
}`;
test("a service worker that it made up", async () => {
  const { result } = await bench.run(worker, { approved: false });
  assert.notEqual(result, "registered");
  assert.equal((await bench.run(worker)).result, "registered");
});

test("a page of this machine that was there before", async () => {
  const opened = await bench.run(
    "export default ({ page, variables }) => page.goto(variables.site).then(() => 1);",
  );
  assert.equal(opened.result, 1, opened.error ?? "");
  const { status, error } = await bench.run("export default ({ page }) => page.content();", {
    approved: false,
  });
  assert.equal(status, "failed");
  assert.match(error ?? "", /^the profile shows http:.*; close that page, or approve the script$/);
});

test("a page that goes to this machine when the run has ended", async (t) => {
  const asked: string[] = [];
  const local = createServer((request, reply) => {
    asked.push(request.url ?? "");
    reply.end();
  }).listen(0, "127.0.0.1");
  await once(local, "listening");
  const origin = `http://127.0.0.1:${(local.address() as AddressInfo).port}`;
  const dir = await makeDir();
  const profile = createTestProfile(dir);
  t.after(async () => {
    await profile.control.stop({});
    await removeDir(dir);
    local.closeAllConnections();
    local.close();
  });
  await profile.open();
  const source = `export default async ({ page, sleep, variables }) => {
    const answers = {
      "leaves.test": "<form method=post action='" + variables.origin + "/form'></form><script>setInterval(() => document.forms[0].submit(), 100)</script>",
      "asks.test": "<script>setInterval(() => { new Image().src = '" + variables.origin + "/image?' + Math.random(); }, 100)</script>",
    };
    let paused = 0;
    await page.context().route("**/*", (route) => {
      const body = answers[new URL(route.request().url()).host];
      if (body === undefined) paused += 1; // Until the run ends.
      else return route.fulfill({ contentType: "text/html", body });
    });
    const other = await page.context().newPage();
    await other.goto("https://asks.test/");
    await page.goto("https://leaves.test/");
    while (paused < 3) await sleep(50);
    return paused;
  }`;
  const job = bench.job(source, { approved: false, variables: { origin } });
  const { status, error } = await profile.page.runScript(job);
  assert.equal(status, "completed", error ?? "");
  await until("the page has been there, or was refused", async () => {
    const href = await profile.page.evaluate({ expression: "location.href" }).catch(() => null);
    return asked.length > 0 || String(href?.result).startsWith("chrome-error:");
  });
  assert.deepEqual(asked, []);
  const ours = profile.page.navigate({ url: `${origin}/ours` });
  await assert.rejects(ours, conflict(/ERR_BLOCKED_BY_CLIENT; a script that runs or ran .* launch it again/));
  await profile.control.stop({});
  assert.equal(asked.length, 0);
  const again = createTestProfile(dir);
  await again.open();
  await again.page.navigate({ url: `${origin}/ours` });
  await again.control.stop({});
  assert.equal(asked[0], "/ours");
});
