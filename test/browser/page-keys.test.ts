/** press-key: every key and chord that a page can receive, from the page's own events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyNames } from "../../actors/profile/page/key-names.ts";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();

const felt = (what: string) => `<script>const felt = []; for (const name of ["keydown", "keypress", "keyup"])
  addEventListener(name, (event) => felt.push(${what}), true);</script>`;
const held =
  '[event.type, event.key, event.code, ["ctrlKey", "shiftKey", "altKey", "metaKey"].filter((name) => event[name])].flat().join(" ")';

test("named keys of the standard reach the page by their names, pressed and released", async () => {
  await page.show(felt("[event.type, event.key, event.isTrusted].join()"));
  const some = [...keyNames.keys()].filter((_, at) => at % 9 === 0); // All take too long here.
  const names = [...some, "F5", "PageDown", "Enter", "Alt", "Control", "Meta", "Shift"];
  for (const key of names) await page.verbs.pressKey({ key });
  const wanted = names.flatMap((key) =>
    ["keydown", ...(key === "Enter" ? ["keypress"] : []), "keyup"].map((type) => `${type},${key},true`),
  );
  assert.deepEqual(await page.value("felt"), wanted);
});

test("signs are typed: of the US keyboard by their keys, and others by a key of their own", async () => {
  await page.show(
    `<input id="f" autofocus>${felt("[event.type, event.key, event.code, event.keyCode].join()")}`,
  );
  await page.click("#f");
  for (const key of ["a", "A", "Shift+b", "+", "Shift+1", "Space", "é", "Shift+é", "日"])
    await page.verbs.pressKey({ key });
  assert.equal(await page.value("f.value"), "aAB+! éÉ日");
  assert.deepEqual(await page.value("felt.filter((one) => /keydown,[aA+é]/.test(one))"), [
    "keydown,a,KeyA,65",
    "keydown,A,KeyA,65",
    "keydown,+,Equal,187",
    "keydown,é,,0",
  ]);
});

test("a chord holds its modifiers while the key is pressed, and types no sign", async () => {
  await page.show(`<input id="f">${felt(held)}`);
  await page.click("#f");
  await page.verbs.pressKey({ key: "Control+Shift+K" });
  assert.deepEqual(await page.value("felt.splice(0)"), [
    "keydown Control ControlLeft ctrlKey",
    "keydown Shift ShiftLeft ctrlKey shiftKey",
    "keydown K KeyK ctrlKey shiftKey",
    "keyup K KeyK ctrlKey shiftKey",
    "keyup Shift ShiftLeft ctrlKey",
    "keyup Control ControlLeft",
  ]);
  for (const key of ["Control+K", "Alt+k", "Meta+Enter", "Control++"]) await page.verbs.pressKey({ key });
  assert.deepEqual(await page.value("felt.filter((one) => /down (k|Enter|[+])/i.test(one))"), [
    "keydown k KeyK ctrlKey",
    "keydown k KeyK altKey",
    "keydown Enter Enter metaKey",
    "keydown + Equal ctrlKey shiftKey",
  ]);
  assert.equal(await page.value("f.value"), "");
});

test("chords edit as a person's do: select, copy, paste, undo, and go back by Tab", async () => {
  await page.show(`<input id="one" value="first"><input id="two" value="second">`);
  await page.click("#one");
  for (const key of ["Control+a", "Control+c", "End", "Control+v", "Shift+Home"])
    await page.verbs.pressKey({ key });
  assert.deepEqual(await page.value("[one.value, one.selectionStart, one.selectionEnd]"), [
    "firstfirst",
    0,
    10,
  ]);
  await page.verbs.pressKey({ key: "Control+z" });
  assert.equal(await page.value("one.value"), "first");
  await page.click("#two");
  await page.verbs.pressKey({ key: "Shift+Tab" });
  assert.equal(await page.value("document.activeElement.id"), "one");
});

test("a key is pressed as often as asked", async () => {
  await page.show(`<input id="n" type="number" value="5">`);
  await page.verbs.pressKey({ key: "ArrowUp", node_id: await page.find("#n"), count: 7 });
  assert.equal(await page.value("n.value"), "12");
});

test("node_id gives the focus first, also where no text is taken, and in a frame", async () => {
  await page.show(`<button id="b" onclick="this.textContent = 'pressed ' + event.isTrusted">Go</button>
    <input id="r" readonly value="abc"><div id="box" tabindex="0" onkeydown="this.textContent = event.key">Box</div>
    <input id="t" value="text"><input id="d" type="date" value="2026-03-05">
    <iframe srcdoc="<select id=s><option>one<option>two</select>"></iframe>`);
  const press = async (key: string, selector: string) =>
    page.verbs.pressKey({ key, node_id: await page.find(selector) });
  await press("Enter", "#b");
  await press("F2", "#box");
  await press("Backspace", "#t");
  await press("ArrowUp", "#d");
  await press("ArrowDown", "#s");
  await press("Control+a", "#r");
  assert.deepEqual(
    await page.value(
      "[b.textContent, box.textContent, t.value, d.value, document.querySelector('iframe').contentDocument.querySelector('select').value, r.selectionEnd - r.selectionStart]",
    ),
    ["pressed true", "F2", "tex", "2026-04-05", "two", 3],
  );
  await page.show(`<p id="p">words</p><button id="off" disabled>Off</button>`);
  await assert.rejects(press("Enter", "#p"), conflict(/<p#p> "words", cannot take the keyboard focus/));
  await assert.rejects(press("Enter", "#off"), conflict(/is disabled/));
});

test("Enter on a focused element is answered by the page that it opens", async () => {
  await page.show(`<form action="about:blank"><input id="f" name="q" value="1"></form>`);
  const { url } = await page.verbs.pressKey({ key: "Enter", node_id: await page.find("#f") });
  assert.match(url, /^about:blank\?q=1/);
});

test("shortcuts of the browser reach the page, and do nothing by themselves", async () => {
  await page.show(`<input id="f">${felt(held)}`);
  await page.click("#f");
  await page.value("globalThis.stays = history.length");
  const shortcuts = ["F5", "Control+r", "Control+t", "Control+w", "Alt+ArrowLeft", "Control+l", "F11", "F12"];
  for (const key of shortcuts) await page.verbs.pressKey({ key });
  assert.equal(await page.value("stays === history.length"), true);
  const seen = (await page.value("felt.filter((one) => one.startsWith('keydown')).join()")) as string;
  for (const key of ["F5", "r", "t", "w", "ArrowLeft", "l", "F11", "F12"])
    assert.match(seen, new RegExp(`keydown ${key} `));
});

test("a key or chord that does not exist is refused by its field, with the reason and an example", async () => {
  const bad = (key: string, reason: RegExp) =>
    assert.rejects(page.verbs.pressKey({ key }), (error: Error & { kind?: string }) => {
      assert.equal(error.kind, "invalid");
      assert.match(
        error.message,
        /^key must be a key of the UI Events standard, such as "F5".* such as "Control\+Shift\+K", got /,
      );
      assert.match(error.message, reason);
      return true;
    });
  await bad("Return", /got "Return": "Return" is no key$/);
  await bad("enter", /"enter" is no key \(it is written "Enter"\)/);
  await bad("Ctrl+K", /got "Ctrl\+K": "Ctrl" is no modifier$/);
  await bad("a+b", /"a" is no modifier/);
  await bad("Control+", /the key after the last \+ is missing/);
  await bad("ab", /"ab" is no key/);
  await bad("F25", /"F25" is no key/);
  await bad("\u0007", /is no key/);
});

test("access keys press and focus their elements, and with Alt alone no sign is typed", async () => {
  await page.show(`<button accesskey="s" onclick="document.title = 'saved'">Save</button><label accesskey="n">Name <input id="f"></label>
    <script>pressed = []; onkeypress = ({ key }) => { pressed.push(key); };</script>`);
  await page.verbs.pressKey({ key: "Alt+s" });
  assert.equal(await page.value("document.title"), "saved");
  await page.verbs.pressKey({ key: "Alt+N" });
  assert.equal(await page.value("document.activeElement.id"), "f");
  await page.verbs.pressKey({ key: "Alt+x" });
  assert.deepEqual(await page.value("[f.value, pressed]"), ["", []]);
});
