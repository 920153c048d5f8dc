/** check and select: the page has the state and the choice, or the verb says why not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();

const check = async (selector: string, checked: boolean) =>
  page.verbs.check({ node_id: await page.find(selector), checked });
const select = async (selector: string, ...values: string[]) =>
  (await page.verbs.select({ node_id: await page.find(selector), values })).values;

test("a checkbox gets the state by one click, and none when it has it", async () => {
  await page.show(`<label id="l"><input id="c" type="checkbox">Agree</label><input id="r" type="radio" name="n"><input id="s" type="radio" name="n" checked>
    <script>let clicks = 0; addEventListener("click", (event) => { if (event.isTrusted && event.target === c) clicks++; });</script>`);
  await check("#c", true);
  await check("#c", true);
  assert.deepEqual(await page.value("[c.checked, clicks]"), [true, 1]);
  await check("#l", false);
  assert.deepEqual(await page.value("[c.checked, clicks]"), [false, 2]);
  await check("#r", true);
  assert.deepEqual(await page.value("[r.checked, s.checked]"), [true, false]);
  await assert.rejects(check("#r", false), conflict(/unchecked only by checking another one/));
});

test("a switch that the page draws itself and shows late is waited for, and a page that refuses is said so", async () => {
  await page.show(`<div id="w" role="switch" aria-checked="false" tabindex="0" style="width:40px;height:20px;background:red"></div>
    <script>w.onclick = () => setTimeout(() => w.setAttribute("aria-checked", "true"), 50);</script>
    <input id="no" type="checkbox" onclick="return false"><input id="off" type="checkbox" disabled><p id="p">text</p>`);
  await check("#w", true);
  assert.equal(await page.value("w.getAttribute('aria-checked')"), "true");
  await assert.rejects(check("#no", true), conflict(/is not checked afterwards/));
  await assert.rejects(check("#off", true), conflict(/is disabled/));
  await assert.rejects(check("#p", true), conflict(/is no checkbox, switch or radio button/));
});

test("a mixed checkbox gets either state, also where it becomes the other one first", async () => {
  await page.show(`<input id="c" type="checkbox"><div id="w" role="checkbox" aria-checked="mixed" tabindex="0">All</div>
    <script>c.indeterminate = true; w.onclick = () => w.setAttribute("aria-checked", w.getAttribute("aria-checked") !== "true");</script>`);
  await check("#c", false);
  assert.deepEqual(await page.value("[c.checked, c.indeterminate]"), [false, false]);
  await check("#w", false);
  assert.equal(await page.value("w.getAttribute('aria-checked')"), "false");
  await page.value("c.indeterminate = true");
  await check("#c", true);
  assert.equal(await page.value("c.checked"), true);
});

test("a select takes options by value and by label, with its events, and names what it lacks", async () => {
  await page.show(`<select id="s"><option value="a">Apple</option><option value="b">Bread  roll</option><option disabled>Cake</option></select>
    <select id="m" multiple><option selected>1</option><option>2</option><option>3</option></select>
    <script>const seen = []; for (const name of ["input", "change"]) s.addEventListener(name, () => seen.push(name + " " + s.value));</script>`);
  assert.deepEqual(await select("#s", "Bread roll"), ["b"]);
  assert.deepEqual(await page.value("[s.value, seen]"), ["b", ["input b", "change b"]]);
  assert.deepEqual(await select("#m", "3", "2"), ["2", "3"]);
  assert.deepEqual(await select("#m"), []);
  assert.equal(await page.value("m.selectedOptions.length"), 0);
  await assert.rejects(
    select("#s", "Melon"),
    conflict(/has no option "Melon"; it has "Apple", "Bread roll", "Cake"/),
  );
  await assert.rejects(select("#s", "Cake"), conflict(/"Cake" of .* is disabled/));
  await assert.rejects(select("#s", "a", "b"), conflict(/exactly one option/));
  assert.equal(await page.value("s.value"), "b");
});

test("a select whose page puts another choice back is said so", async () => {
  await page.show(`<select id="s" onchange="this.value = 'a'"><option>a</option><option>b</option></select>`);
  await assert.rejects(select("#s", "b"), conflict(/did not keep the choice; it has \["a"\]/));
});

test("a choice, a check and a click that leave the page are done", async () => {
  const leaves = `onchange="location = 'about:blank'"`;
  const content = `<select id="s" ${leaves}><option>a</option><option>b</option></select><input id="c" type="checkbox" ${leaves}>
    <button id="b" onmousedown="location = 'about:blank'">Leave at once</button>`;
  const click = async () => page.verbs.click({ node_id: await page.find("#b") });
  // The page may be gone before it answers, but not every time.
  for (const act of [() => select("#s", "b"), () => check("#c", true), click, click, click]) {
    await page.show(content);
    await act();
    assert.equal(await page.value("location.href"), "about:blank");
  }
});

test("a list that the page draws itself is opened, and its option is clicked", async () => {
  await page.show(`<div id="box" role="combobox" tabindex="0" aria-controls="list" aria-expanded="false" style="width:200px">Choose</div>
    <div id="list" role="listbox" hidden><div role="option" data-value="x">First</div><div role="option" data-value="y">Second</div></div>
    <script>box.onclick = () => setTimeout(() => { list.hidden = false; }, 30);
    list.onclick = (event) => { if (event.isTrusted) { box.textContent = event.target.textContent; list.hidden = true; } };</script>`);
  assert.deepEqual(await select("#box", "Second"), ["y"]);
  assert.deepEqual(await page.value("[box.textContent, list.hidden]"), ["Second", true]);
  await assert.rejects(select("#box", "Third"), conflict(/has no option "Third"; it has "First", "Second"/));
});

test("a select whose page fetches the options when it is opened is waited for", async () => {
  for (const opens of ["focus", "mousedown", "pointerdown"]) {
    await page.show(`<select id="s"><option value="">Choose</select><script>s.addEventListener("${opens}", () =>
      setTimeout(() => s.append(new Option("Peru", "pe"), new Option("Chile", "cl")), 50), { once: true });</script>`);
    await page.verbs.select({ node_id: await page.find("#s"), values: ["Peru"] });
    assert.equal(await page.value("s.value"), "pe", opens);
  }
});

test("a choice and a check after which the page replaces or removes the control are done", async () => {
  await page.show(`<div id="box"><select id="s" onchange="document.title = this.value; this.remove()"><option>a</option><option>b</option></select>
    <input id="c" type="checkbox" onchange="document.title = 'checked'; this.replaceWith(this.cloneNode())"></div>`);
  assert.deepEqual(await select("#s", "b"), ["b"]);
  assert.equal(await page.value("document.title"), "b");
  await check("#c", true);
  assert.equal(await page.value("document.title"), "checked");
});

test("a select that a person cannot reach is refused with the reason, and one in the open dialog is not", async () => {
  const list = (id: string, more = "") =>
    `<select id="${id}" ${more}><option>a</option><option>b</option></select>`;
  await page.show(`<div inert>${list("i")}</div>${list("v", 'style="visibility:hidden"')}${list("m")}
    <dialog id="d">${list("in")}</dialog>`);
  await assert.rejects(select("#i", "b"), conflict(/<select#i>.* is inert/));
  await assert.rejects(select("#v", "b"), conflict(/<select#v>.* is hidden: its visibility is hidden/));
  await page.value("d.showModal()");
  await assert.rejects(select("#m", "b"), conflict(/<select#m>.* is covered by <dialog#d>/));
  assert.deepEqual(await select("#in", "b"), ["b"]);
  assert.deepEqual(await page.value("[i.value, v.value, m.value]"), ["a", "a", "a"]);
  await page.value("d.close()");
  assert.deepEqual(await select("#m", "b"), ["b"]);
});

test("a field with a datalist takes one of its suggestions, by value or label", async () => {
  await page.show(`<label>Colour <input id="field" list="colours"></label><datalist id="colours">
    <option value="r" label="Red"><option>green</option></datalist><p id="said"></p>
    <script>for (const name of ["input", "change"]) field.addEventListener(name, () => { said.textContent += name + field.value; });</script>`);
  assert.deepEqual(await select("#field", "Red"), ["r"]);
  assert.deepEqual(await select("#field", "green"), ["green"]);
  assert.equal(await page.value("said.textContent"), "inputrchangerinputgreenchangegreen");
  await assert.rejects(select("#field", "blue"), conflict(/has no option "blue"; it has "Red", "green"/));
  await assert.rejects(select("#field", "Red", "green"), conflict(/takes exactly one option/));
});

test("a check of a control that the page draws beside a link in its label does not follow the link", async () => {
  await page.show(`<style>input{opacity:0;position:absolute;width:0;height:0}span::before{content:"[]"}</style>
    <label id="l"><input id="c" type="checkbox"><span></span> <a href="#terms">I accept all of the terms and conditions</a> ok</label><br>
    <label id="m"><input id="d" type="checkbox"><a href="#terms">All of it</a></label>`);
  await check("#c", true);
  await check("#l", false);
  await check("#l", true);
  assert.deepEqual(await page.value("[c.checked, location.hash]"), [true, ""]);
  for (const selector of ["#d", "#m"])
    await assert.rejects(check(selector, true), conflict(/is covered by <a> "All of it"/));
  assert.deepEqual(await page.value("[d.checked, location.hash]"), [false, ""]);
});
