/** Documents that break off, stop or never end after they began: navigate answers at once, with the browser's reason for a failure. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { OpenBrowser } from "../../actors/profile/open-browser.ts";
import { createPageVerbs } from "../../actors/profile/page/verbs.ts";
import type { VerbApi } from "../../protocol/generated/verb-table.ts";
import { makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";
import { openSite, type Site } from "./fixture/site.ts";

let dir: string;
let site: Site;
let browser: OpenBrowser;
let page: VerbApi;

before(async () => {
  dir = await makeDir();
  site = await openSite();
  browser = await openTestBrowser(dir);
  page = createPageVerbs(browser.tabs, (work) => work(), join(dir, "uploads"));
});
after(async () => {
  await browser.close();
  await site.close();
  await removeDir(dir);
});

/** Ends the connection of a document once the page shows its beginning. */
function cut(how: (response: ServerResponse) => void): void {
  let held: ServerResponse | null = null;
  site.onRequest = (path, response) => {
    if (path.startsWith("/cut-")) held = response;
    if (path === "/begun" && held !== null) how(held);
  };
}

const visit = (path: string) => page.navigate({ url: site.origin + path });
const value = async (expression: string) => (await page.evaluate({ expression })).result;
const conflict = (message: RegExp) => ({ name: "Fault", kind: "conflict", message });

for (const [path, reason] of [
  ["/cut-length", "net::ERR_CONTENT_LENGTH_MISMATCH"],
  ["/cut-chunks", "net::ERR_INCOMPLETE_CHUNKED_ENCODING"],
  ["/cut-reset", "net::ERR_CONNECTION_RESET"],
  ["/cut-coding", "net::ERR_CONTENT_DECODING_FAILED"],
] as const) {
  test(`a document that fails with ${reason} is a conflict with that reason`, async () => {
    cut((response) => (path === "/cut-reset" ? response.socket?.resetAndDestroy() : response.destroy()));
    const said = new RegExp(`${path}#part failed: ${reason}`);
    await assert.rejects(visit(`${path}#part`), conflict(said));
    assert.match((await page.snapshot({})).snapshot, new RegExp(`${site.origin}${path}#part`));
    // A reason of an earlier load is not taken for one of this.
    assert.equal((await visit("/next")).title, "Next");
  });
}

test("what came of a broken document can be used, and a click that leads to one is answered", async () => {
  cut((response) => response.destroy());
  await assert.rejects(visit("/cut-length"), conflict(/the page shows what came before/));
  assert.equal(await value("there.textContent"), "There");
  await visit("/to-cut");
  const { node_id } = await page.waitForElement({ selector: "a", timeout_ms: 2_000 });
  assert.equal((await page.click({ node_id })).url, `${site.origin}/cut-chunks`);
});

test("a page that stops its own load has been reached", async () => {
  assert.equal((await visit("/stops-itself")).title, "Stops");
  assert.equal(await value("there.textContent"), "There");
});

test("an endless stream of parts has been reached", async () => {
  assert.equal((await visit("/endless")).url, `${site.origin}/endless`);
  assert.equal(await value("document.contentType"), "multipart/x-mixed-replace");
  assert.match((await page.snapshot({})).snapshot, /\/endless/);
  assert.equal((await visit("/next")).title, "Next");
});
