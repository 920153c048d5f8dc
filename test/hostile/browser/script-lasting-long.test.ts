/** What an unapproved script cannot leave in the browser, and what it cannot find there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openScriptBench, type ScriptBench } from "../../browser/script-bench.ts";

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
