/** The options of click: buttons, double clicks, modifiers and positions, from the page's own events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClickBody } from "../../protocol/verbs/click.ts";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();

const click = async (selector: string, options: Omit<ClickBody, "node_id">) =>
  page.verbs.click({ node_id: await page.find(selector), ...options });

const felt = (
  names: string,
  what: string,
) => `<script>const felt = []; for (const name of "${names}".split(" "))
  addEventListener(name, (event) => felt.push(${what}));</script>`;

test("the right and the middle button are pressed, and their events come to the element", async () => {
  const names = "pointerdown mousedown contextmenu auxclick click";
  await page.show(
    `<button id="b">Go</button>${felt(names, "[event.type, event.target.id, event.button, event.buttons, event.isTrusted].join()")}`,
  );
  await click("#b", { button: "right" });
  assert.deepEqual((await page.value("felt.splice(0).sort()")) as string[], [
    "auxclick,b,2,0,true",
    "contextmenu,b,2,2,true",
    "mousedown,b,2,2,true",
    "pointerdown,b,2,2,true",
  ]);
  await click("#b", { button: "middle" });
  assert.deepEqual(await page.value("felt.splice(0)"), [
    "pointerdown,b,1,4,true",
    "mousedown,b,1,4,true",
    "auxclick,b,1,0,true",
  ]);
});

test("a page's own menu opens at the right button, and stays for the click on its item", async () => {
  await page.show(`<div id="row">Row</div><menu id="m" hidden><button id="item" onclick="document.title = 'chosen'">Delete</button></menu>
    <script>row.oncontextmenu = (event) => { event.preventDefault(); m.hidden = false; };</script>`);
  await click("#row", { button: "right" });
  assert.equal((await click("#item", {})).title, "chosen");
});

test("without a menu of the page, the right button harms no later input", async () => {
  await page.show(
    `<p id="p">words</p><input id="f"><button id="b" onclick="document.title = 'pressed'">Go</button>`,
  );
  await click("#p", { button: "right" });
  await page.type("#f", "typed");
  assert.equal((await click("#b", {})).title, "pressed");
  assert.equal(await page.value("f.value"), "typed");
});

test("two and three clicks are a double and a triple click", async () => {
  await page.show(`<p id="p">one two</p>${felt("click dblclick", "event.type + event.detail")}`);
  await click("#p", { count: 2, position: { x: 5, y: 5 } });
  assert.deepEqual(await page.value("felt.splice(0)"), ["click1", "click2", "dblclick2"]);
  assert.equal(await page.value("getSelection().toString().trim()"), "one");
  await click("#p", { count: 3 });
  assert.deepEqual(await page.value("felt"), ["click1", "click2", "dblclick2", "click3"]);
  assert.equal(await page.value("getSelection().toString().trim()"), "one two");
});

test("a page that has another element there after the first click gets no second one on it", async () => {
  await page.show(`<div id="list"><button id="a">Delete A</button></div><output id="o"></output>
    <script>list.onclick = (event) => { o.textContent += event.target.id; list.innerHTML = '<button id="b">Delete B</button>'; };</script>`);
  await assert.rejects(
    click("#a", { count: 2 }),
    conflict(
      /<button#a> "Delete A", was clicked once; then the page had <button#b> "Delete B" there, and the next click was stopped/,
    ),
  );
  assert.equal(await page.value("o.textContent"), "a");
  await page.click("#b");
  assert.equal(await page.value("o.textContent"), "ab");
});

test("modifiers are held down during the click, with their keys", async () => {
  const what = `[event.type, event.key ?? "", ["ctrlKey", "shiftKey", "altKey", "metaKey"].filter((name) => event[name])].flat().join(" ")`;
  await page.show(`<div id="d">Row</div>${felt("keydown mousedown click keyup", what)}`);
  await click("#d", { modifiers: ["Control", "Shift", "Control"] });
  assert.deepEqual(await page.value("felt.splice(0)"), [
    "keydown Control ctrlKey",
    "keydown Shift ctrlKey shiftKey",
    "mousedown  ctrlKey shiftKey",
    "click  ctrlKey shiftKey",
    "keyup Shift ctrlKey",
    "keyup Control",
  ]);
  await click("#d", { modifiers: ["Alt", "Meta"] });
  assert.equal(await page.value("felt.includes('click  altKey metaKey')"), true);
});

test("Shift extends the choice of a list, as a person's click does", async () => {
  await page.show(
    `<select id="s" multiple size="4"><option id="1">one<option>two<option>three<option id="4">four</select>`,
  );
  await click("#\\31", {});
  await click("#\\34", { modifiers: ["Shift"] });
  assert.equal(await page.value("s.selectedOptions.length"), 4);
});

test("a position in the box is clicked there, also far down in a scroller and in a frame", async () => {
  const at = `event.type + " " + event.target.id + " " + [event.offsetX, event.offsetY].map(Math.round)`;
  await page.show(`<div style="height:2000px"></div><div style="width:300px;height:200px;overflow:auto"><canvas id="c" width="280" height="4000"></canvas></div>
    <iframe id="f" style="border:3px solid" srcdoc="<body style='margin:0'><div id=i style='width:200px;height:90px;background:red' onclick='document.title = [event.offsetX, event.offsetY]'>In</div>"></iframe>${felt("click", at)}`);
  await click("#c", { position: { x: 7, y: 3_500 } });
  assert.deepEqual(await page.value("felt"), ["click c 7,3500"]);
  await click("#i", { position: { x: 150, y: 80 } });
  assert.equal(await page.value("f.contentDocument.title"), "150,80");
});

test("a position outside the box, and one that is covered, are refused without a press", async () => {
  await page.show(`<div style="position:relative"><button id="b" style="width:100px;height:40px">Go</button>
    <div id="v" style="position:absolute;left:60px;top:0;width:40px;height:40px;background:#eee">Veil</div></div>${felt("mousedown", "event.target.id")}`);
  await assert.rejects(click("#b", { position: { x: 100, y: 3 } }), {
    name: "Fault",
    kind: "invalid",
    message: /^position must lie in the box of element \d+, 100 x 40 pixels, got x 100, y 3$/,
  });
  await assert.rejects(click("#b", { position: { x: 80, y: 20 } }), conflict(/is covered by <div#v> "Veil"/));
  await click("#b", { position: { x: 20, y: 20 } });
  assert.deepEqual(await page.value("felt"), ["b"]);
});

test("a link that a modifier or the middle button opens in a tab behind leaves the verbs on the page", async () => {
  await page.show(
    `<a id="l" href="about:blank#there">Link</a><script>addEventListener("auxclick", () => { document.title = "felt"; });</script>`,
  );
  for (const options of [{ modifiers: ["Control" as const] }, { button: "middle" as const }])
    assert.match((await click("#l", options)).url, /^data:/);
  assert.equal(await page.value("document.title"), "felt");
});

test("a button that moves away when the field before it is left is said to have got no click, and gets the next one", async () => {
  await page.show(`<input id="f" onblur="said.style.height = '200px'"><div id="said" style="height:0"></div>
    <button id="b" onclick="document.title = 'sent'">Send</button>`);
  await page.click("#f");
  await assert.rejects(
    page.click("#b"),
    conflict(/<button#b> "Send", moved from under the mouse before the button was released/),
  );
  assert.equal((await page.click("#b")).title, "sent");
});

test("a press by which a page opens a menu over its button, or moves a field, is done", async () => {
  await page.show(
    `<button id="b" onpointerdown="m.hidden = false">Menu</button><menu id="m" hidden style="position:fixed;inset:0;margin:0">Items</menu>`,
  );
  await page.click("#b");
  assert.equal(await page.value("m.hidden"), false);
  await page.show(`<div id="above"></div><input id="f" onfocus="above.style.height = '300px'">`);
  await page.click("#f");
  assert.equal(await page.value("document.activeElement.id"), "f");
});
