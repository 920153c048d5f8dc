/** Documents that break off, stop or never end after they began: navigate answers at once, with the browser's reason for a failure. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { browserOnSite } from "./fixture/on-site.ts";

const { on, visit, value } = browserOnSite();

/** Ends the connection of a document once the page shows its beginning. */
function cut(how: (response: ServerResponse) => void): void {
  let held: ServerResponse | null = null;
  on.site.onRequest = (path, response) => {
    if (path.startsWith("/cut-")) held = response;
    if (path === "/begun" && held !== null) how(held);
  };
}

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
    assert.match((await on.page.snapshot({})).snapshot, new RegExp(`${on.site.origin}${path}#part`));
    // A reason of an earlier load is not taken for one of this.
    assert.equal((await visit("/next")).title, "Next");
  });
}

test("what came of a broken document can be used, and a click that leads to one is answered", async () => {
  cut((response) => response.destroy());
  await assert.rejects(visit("/cut-length"), conflict(/the page shows what came before/));
  assert.equal(await value("there.textContent"), "There");
  await visit("/to-cut");
  const { node_id } = await on.page.waitForElement({ selector: "a", timeout_ms: 2_000 });
  assert.equal((await on.page.click({ node_id })).url, `${on.site.origin}/cut-chunks`);
});

test("a page that stops its own load has been reached", async () => {
  assert.equal((await visit("/stops-itself")).title, "Stops");
  assert.equal(await value("there.textContent"), "There");
});

test("an endless stream of parts has been reached", async () => {
  assert.equal((await visit("/endless")).url, `${on.site.origin}/endless`);
  assert.equal(await value("document.contentType"), "multipart/x-mixed-replace");
  assert.match((await on.page.snapshot({})).snapshot, /\/endless/);
  assert.equal((await visit("/next")).title, "Next");
});

test("an address that answers without a page says so", async () => {
  await assert.rejects(
    visit("/empty"),
    conflict(/failed: net::ERR_ABORTED; the server answered without a page/),
  );
});

test("a page that goes elsewhere at the same moment does not keep a navigation from its address", async () => {
  await visit("/");
  const goes = `<button onclick="fetch('/never', { cache: 'no-store' }).then(() => { location = '/next'; })">Go</button>`;
  await value(`void (document.body.innerHTML = ${JSON.stringify(goes)})`);
  const asked: ServerResponse[] = [];
  on.site.onRequest = (path, response) => {
    if (path !== "/never") return;
    asked.push(response);
    // The page goes once the navigation has begun.
    if (asked.length === 2) asked[0]?.end();
    if (asked.length === 3) response.setHeader("content-type", "text/html").end("<title>Reached</title>");
  };
  const { node_id } = await on.page.waitForElement({ selector: "button", timeout_ms: 2_000 });
  await on.page.click({ node_id });
  assert.equal((await visit("/never")).title, "Reached");
});
