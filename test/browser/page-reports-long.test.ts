/** Pages from reports about other programs that drive browsers: each verb does there what a person would get. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();
const linesOf = async (query: { interactive?: boolean }) =>
  (await page.verbs.snapshot(query)).snapshot
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/ \[id=\d+\]/, ""));

test("a link over two lines is clicked, also when its first part has no width", async () => {
  await page.show(`<div style="width:30px;line-height:2"><a href="#" id="wrapped" onclick="clicks++"><i style="display:inline-block"></i>
    foofoofoofoofoo bar</a></div><script>clicks = 0</script>`);
  await page.click("#wrapped");
  assert.equal(await page.value("clicks"), 1);
});

test("a visible dialog in a hidden box is listed and clicked", async () => {
  await page.show(`<div style="visibility:hidden">Hidden<div role="dialog" aria-label="Panel" style="visibility:visible">
    <button id="ok" onclick="done = true">OK</button></div></div>`);
  assert.deepEqual(await linesOf({}), ['dialog "Panel"', '  button "OK"']);
  await page.click("#ok");
  assert.equal(await page.value("done"), true);
});

test("editable text in a button takes text, and so does a heading that a click makes editable", async () => {
  await page.show(`<div role="button" tabindex="0"><div id="title" contenteditable></div></div>
    <h6 id="heading" tabindex="0" onclick="this.setAttribute('contenteditable', 'true')">old</h6>`);
  await page.type("#title", "Hello, World!");
  await page.click("#heading");
  await page.verbs.type({ node_id: await page.find("#heading"), text: "new", clear: true });
  assert.deepEqual(await page.value("[title.textContent, heading.textContent]"), ["Hello, World!", "new"]);
});

test("a window that closes itself at the click leads back to the page that opened it", async () => {
  await page.show(
    `<button id="open" onclick="shown = window.open('about:blank'); shown.document.write('<title>Asks</title><button id=ok onclick=window.close()>OK</button>')">Ask</button>`,
  );
  assert.equal((await page.click("#open")).title, "Asks");
  assert.equal((await page.click("#ok")).title, "Shown");
  assert.equal(await page.value("shown.closed"), true);
});

test("a page that is too long is refused with the remedy, and leaves nothing in the page's own world", async () => {
  await page.show(`<p id="p">x</p>`);
  await page.value(`void (p.textContent = "x".repeat(9_000_000))`);
  await assert.rejects(
    page.verbs.text({}),
    conflict(/more than 8000000 characters; give the node_id of a part/),
  );
  assert.equal(await page.value("'troupeFrames' in window"), false);
});
