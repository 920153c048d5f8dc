/** The options of type: the field is emptied first, keys come one after the other, Enter ends the text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TypeBody } from "../../protocol/verbs/type.ts";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();

const type = async (selector: string, text: string, options: Omit<TypeBody, "node_id" | "text">) =>
  page.verbs.type({ node_id: await page.find(selector), text, ...options });

test("clear empties every kind of field before the text", async () => {
  await page.show(`<input id="i" value="old words"><input id="n" type="number" value="5"><input id="e" type="email" value="joe@x.org">
    <textarea id="a">one\ntwo</textarea><input id="d" type="date" value="2026-03-05"><div id="c" contenteditable><p>one<p>two <b>three</b></div>
    <iframe srcdoc="<body contenteditable><p>one<p>two"></iframe><label id="l">Name <input id="in" value="was"></label>`);
  const texts = {
    "#i": "new",
    "#n": "7",
    "#e": "a@b.org",
    "#a": "three",
    "#d": "12312027",
    "#c": "four",
    "#l": "is",
  };
  for (const [selector, text] of Object.entries(texts)) await type(selector, text, { clear: true });
  await page.verbs.type({ node_id: await page.find("iframe"), text: "inner", clear: true });
  assert.deepEqual(
    await page.value(
      "[i.value, n.value, e.value, a.value, d.value, c.textContent, document.getElementById('in').value, document.querySelector('iframe').contentDocument.body.innerText.trim()]",
    ),
    ["new", "7", "a@b.org", "three", "2027-12-31", "four", "is", "inner"],
  );
});

test("clear is a real key to the page, also where the caret stands in the text, and with an empty text", async () => {
  await page.show(`<input id="i" value="old words"><script>const felt = []; for (const name of ["keydown", "beforeinput", "input"])
    i.addEventListener(name, (event) => felt.push([name, event.key ?? event.inputType, event.isTrusted].join()));</script>`);
  await page.click("#i");
  await page.verbs.pressKey({ key: "ArrowLeft" });
  await page.value("felt.splice(0)");
  await type("#i", "", { clear: true });
  assert.equal(await page.value("i.value"), "");
  assert.deepEqual(await page.value("felt"), [
    "keydown,Delete,true",
    "beforeinput,deleteContentForward,true",
    "input,deleteContentForward,true",
  ]);
});

test("an input that is empty gets no key, since a page may delete what stands before it", async () => {
  await page.show(`<span id="chip">Chip</span><input id="i"><script>
    i.addEventListener("keydown", (event) => { if (/Delete|Backspace/.test(event.key) && !i.value) chip.remove(); });</script>`);
  await type("#i", "x", { clear: true });
  assert.deepEqual(await page.value("[i.value, document.getElementById('chip') !== null]"), ["x", true]);
});

test("a number that is none, and a part of a date, are emptied too", async () => {
  await page.show(
    `<input id="n" type="number"><input id="d" type="date" value="2026-03-05" aria-label="Day">`,
  );
  await type("#n", "1e", {});
  assert.equal(await page.value("n.validity.badInput"), true);
  await type("#n", "3", { clear: true });
  assert.equal(await page.value("n.value"), "3");
  const node_id = await page.idOf(/spinbutton "Month/i);
  await page.verbs.type({ node_id, text: "", clear: true });
  assert.equal(await page.value("d.value"), "");
});

test("a page that keeps the shortcut for itself is cleared by a selection, and a mask keeps its own signs", async () => {
  await page.show(`<textarea id="a">one two</textarea><div id="c" contenteditable>one two</div>
    <div id="s" contenteditable>words<span contenteditable="false">Write here</span></div>
    <input id="m" value="12/34" oninput="this.value = this.value.replace(/\\D/g, '').padEnd(4, '_').replace(/(..)/, '$1/')">
    <script>addEventListener("keydown", (event) => { if (event.key === "a" && event.ctrlKey && event.target !== s) event.preventDefault(); }, true);</script>`);
  await type("#a", "three", { clear: true });
  await type("#c", "three", { clear: true });
  await type("#s", "", { clear: true });
  await type("#m", "", { clear: true });
  assert.deepEqual(await page.value("[a.value, c.textContent, s.firstChild?.data ?? '', m.value]"), [
    "three",
    "three",
    "",
    "__/__",
  ]);
});

test("clear says when the page does not let the field be emptied", async () => {
  await page.show(`<input id="k" value="kept" onkeydown="if (event.key === 'Delete') event.preventDefault()">
    <textarea id="w" oninput="this.value = 'always'">always</textarea>`);
  const kept = conflict(/keeps its text: the page does not let it be emptied/);
  await assert.rejects(type("#k", "x", { clear: true }), kept);
  await assert.rejects(type("#w", "x", { clear: true }), kept);
  assert.equal(await page.value("k.value"), "kept");
});

test("with delay_ms the page works between two keys", async () => {
  await page.show(`<input id="i"><script>let waiting = 0; const seen = [];
    i.oninput = () => { seen.push(waiting); waiting += 1; setTimeout(() => { waiting -= 1; }, 1); };</script>`);
  await type("#i", "abcd", { delay_ms: 100 });
  assert.deepEqual(await page.value("[i.value, seen]"), ["abcd", [0, 0, 0, 0]]);
});

test("pauses that take more than the verb's time are refused by their field, with what would fit", async () => {
  await page.show(`<input id="i">`);
  const message =
    /^delay_ms must be at most 30 for a text of 1000 keys, so that all pauses take at most 30 s, got 31; /;
  await assert.rejects(type("#i", `${"x".repeat(1_500)}`, { delay_ms: 31 }), {
    name: "Fault",
    kind: "invalid",
    message,
  });
  assert.equal(await page.value("i.value"), "");
});

test("submit presses Enter behind the text: a form is sent, and a page may take the text and clear the field", async () => {
  await page.show(
    `<form action="about:blank"><input id="q" name="q" value="old"><input name="other"><button>Go</button></form>`,
  );
  const { url } = await type("#q", "new words", { clear: true, submit: true });
  assert.match(url, /^about:blank\?q=new\+words&other=$/);
  await page.show(
    `<textarea id="chat" onkeydown="if (event.key === 'Enter') { event.preventDefault(); document.title = this.value; this.value = ''; }"></textarea>`,
  );
  assert.equal(((await type("#chat", "hello", { submit: true })) as { title: string }).title, "hello");
  assert.equal(await page.value("chat.value"), "");
});
