/** Parts of a snapshot: what has changed since another one, what a search finds, and where elements are drawn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();
const linesOf = (text: string) => text.split("\n").slice(1);
const contentOf = async (query: { interactive?: boolean }) =>
  linesOf((await page.verbs.snapshot(query)).snapshot).map((line) => line.replace(/ \[id=\d+\]/, ""));
const rowCount = 400;
const rows = (count: number) =>
  `<ul id="list">${Array.from({ length: count }, (_, at) => `<li>Row ${at} <a href="#${at}">open ${at}</a></li>`).join("")}</ul>`;

test("since shows only lines that came, changed and went, in a tenth of the bytes after one of many rows", async () => {
  await page.show(`<div id="d"></div>`); // An address with the rows in it would be in each reply.
  await page.value(`void (d.innerHTML = ${JSON.stringify(rows(rowCount))})`);
  const first = await page.verbs.snapshot({});
  await page.value(`void (list.children[100].querySelector("a").textContent = "gone on")`);
  const second = await page.verbs.snapshot({ since: first.version });
  const [changed, ...more] = linesOf(second.snapshot);
  assert.match(changed ?? "", /^~ link "gone on" \[id=\d+\]/);
  assert.deepEqual(more, []);
  assert.ok(JSON.stringify(second).length * 10 <= JSON.stringify(first).length);
  assert.equal(second.whole, undefined);
  assert.deepEqual(linesOf((await page.verbs.snapshot({ since: second.version })).snapshot), []);
});

test("what came is shown with its content and its place, what went by its topmost line", async () => {
  await page.show(`<main id="m"><h1>Shop</h1>${rows(2)}</main>`);
  const first = await page.verbs.snapshot({});
  await page.value(
    `void (list.remove(), m.insertAdjacentHTML("beforeend", "<section aria-label=Cart><button>Pay</button></section>"))`,
  );
  const { snapshot, version } = await page.verbs.snapshot({ since: first.version });
  const [region, button, gone, ...more] = linesOf(snapshot);
  assert.match(region ?? "", /^\+ region "Cart" \[id=\d+\] in \[id=\d+\]$/);
  assert.match(button ?? "", /^\+ {3}button "Pay" \[id=\d+\]$/);
  assert.match(gone ?? "", /^- list \[id=\d+\]$/);
  assert.deepEqual(more, []);
  const back = await page.verbs.snapshot({ since: first.version });
  assert.equal(back.snapshot, snapshot, "an earlier version can be asked for again");
  assert.notEqual(back.version, version);
});

test("an unknown version, another query and another document give the whole snapshot, and say so", async () => {
  await page.show("<button>One</button>");
  const { version } = await page.verbs.snapshot({});
  for (const query of [{ since: "0" }, { since: version, interactive: true }]) {
    const { whole, snapshot } = await page.verbs.snapshot(query);
    assert.equal(whole, true);
    assert.match(snapshot, /button "One"/);
  }
  await page.show("<button>Two</button>");
  const { whole, snapshot } = await page.verbs.snapshot({ since: version });
  assert.equal(whole, true);
  assert.match(snapshot, /button "Two"/);
});

test("search shows lines with the text or the role, and the lines around them", async () => {
  await page.show(
    `<nav><a href="#a">Home</a></nav><main><form aria-label="Pay"><button>Buy NOW</button><input aria-label="Code"></form></main>`,
  );
  const shape = async (search: string) =>
    linesOf((await page.verbs.snapshot({ search })).snapshot).map((line) => line.replace(/ \[id=.*$/, ""));
  assert.deepEqual(await shape("buy now"), ["main", '  form "Pay"', '    button "Buy NOW"']);
  assert.deepEqual(await shape("TEXTBOX"), ["main", '  form "Pay"', '    textbox "Code"']);
  assert.deepEqual(await shape("no such thing"), []);
});

test("boxes says where each element is drawn: scrolled, fixed, turned, and in a frame", async () => {
  const inner =
    "<body style='margin:0;height:2000px'><button style='position:absolute;left:30px;top:500px;width:80px;height:20px'>In</button>";
  await page.show(`<style>body{margin:0;height:3000px}button{position:absolute;left:10px;top:900px;width:100px;height:40px}</style>
    <button>Plain</button><button style="position:fixed;top:50px">Fixed</button><button style="top:1000px;transform:rotate(90deg)">Turned</button>
    <iframe id="f" srcdoc="${inner}" style="position:absolute;left:200px;top:800px;width:300px;height:200px;border:7px solid;padding:3px"></iframe>`);
  await page.value(
    `new Promise((done) => { scrollTo(0, 600); f.contentWindow.scrollTo(0, 400); requestAnimationFrame(done); })`,
  );
  const { snapshot } = await page.verbs.snapshot({ boxes: true });
  const box = (name: string) =>
    new RegExp(`button "${name}" \\[id=\\d+\\] \\[box=([^\\]]*)\\]`).exec(snapshot)?.[1];
  assert.deepEqual(["Plain", "Fixed", "Turned", "In"].map(box), [
    "10,300,100,40",
    "10,50,100,40",
    "40,370,40,100",
    "240,310,80,20",
  ]);
});

test("icons without a text, a role or a name are listed, since the mouse shows that they are clickable", async () => {
  await page.show(`<style>.icon { width: 20px; height: 20px; display: inline-block; cursor: pointer }</style>
    <div class="icon" id="empty"></div>
    <span class="icon"><svg aria-hidden="true" width="16" height="16"><path d="M0 0h16v16z"/></svg></span>
    <span class="icon"><img alt="" width="20" height="20" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></span>
    <div class="icon" style="display:none"></div><div class="icon" style="visibility:hidden"></div><div style="width:9px;height:9px"></div>
    <button class="icon" aria-label="Close"><i class="icon"></i></button>
    <script>document.onclick = ({ target }) => { clicked = target.id; }</script>`);
  const icons = Array.from({ length: 3 }, () => "generic clickable");
  assert.deepEqual(await contentOf({}), [...icons, 'button "Close"']);
  assert.deepEqual(await contentOf({ interactive: true }), [...icons, 'button "Close"']);
  await page.verbs.click({ node_id: await page.idOf(/clickable/) });
  assert.equal(await page.value("clicked"), "empty");
});

test("interactive lists texts that the mouse shows to be clickable, with all that is in them", async () => {
  await page.show(`<div style="cursor:pointer"><h3>Ada</h3> <p>born <b>1815</b></p></div><p>plain</p><p style="cursor:pointer">more</p>
    <div style="cursor:pointer">Choose<div>Text</div><div id="n" onclick="chosen = 1">Numbers</div></div>
    <iframe srcdoc="<p style='cursor:pointer'>framed</p>"></iframe>`);
  assert.deepEqual(await contentOf({ interactive: true }), [
    "generic clickable",
    '  heading "Ada" level=3',
    "  paragraph: born 1815",
    "paragraph clickable: more",
    "generic clickable",
    '  text "Choose"',
    '  text "Text"',
    '  text "Numbers"',
    "iframe",
    "  paragraph clickable: framed",
  ]);
  const { snapshot } = await page.verbs.snapshot({ interactive: true });
  await page.verbs.click({ node_id: Number(/"Numbers" \[id=(\d+)\]/.exec(snapshot)?.[1]) });
  assert.equal(await page.value("chosen"), 1);
  assert.ok(!(await contentOf({})).join().includes("clickable"));
});
