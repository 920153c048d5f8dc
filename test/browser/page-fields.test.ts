/** Typing into every kind of field: the text is behind what was there, or the verb says that it is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();

const inFrame = (expression: string) => page.value(`document.querySelector("iframe").${expression}`);

/** A mask that shows its signs at once and puts the caret at the first free one, by the focus and by a click. */
const mask = (moves: string) => `<input id="mask" value="__/__/____" aria-label="Date"><script>
  const free = () => mask.setSelectionRange(0, mask.value.search(/_|$/)) || mask.setSelectionRange(mask.value.search(/_|$/), mask.value.search(/_|$/));
  for (const name of ${moves}) mask.addEventListener(name, free);
  let at = 0;
  mask.addEventListener("beforeinput", (event) => { at = mask.selectionStart; });
  let shown = mask.value;
  mask.addEventListener("input", (event) => {
    const next = at + shown.slice(at).search(/_/);
    if (shown[at] !== undefined && next >= at && /\\d/.test(event.data)) shown = shown.slice(0, next) + event.data + shown.slice(next + 1);
    mask.value = shown;
    free();
  });
</script>`;

test("text goes behind the value of number, e-mail and other fields that have no selection", async () => {
  await page.show(`<input id="n" type="number" value="5"><input id="e" type="email" value="joe"><input id="s" type="search" value="a b">
    <input id="u" type="url" value="http://x"><input id="t" type="tel" value="12"><textarea id="a">one</textarea>`);
  for (const [selector, text] of Object.entries({
    "#n": "7",
    "#e": "@x.org",
    "#s": " c",
    "#u": "/y",
    "#t": "34",
    "#a": " two",
  }))
    await page.type(selector, text);
  assert.deepEqual(await page.value("[n, e, s, u, t, a].map((field) => field.value)"), [
    "57",
    "joe@x.org",
    "a b c",
    "http://x/y",
    "1234",
    "one two",
  ]);
});

test("a masked field takes every digit, whether its page moves the caret by the focus or only by a click", async () => {
  for (const moves of ['["focus", "click"]', '["click"]']) {
    await page.show(mask(moves));
    await page.type("#mask", "24122026");
    assert.equal(await page.value("mask.value"), "24/12/2026", moves);
  }
});

test("a field that moves the caret by the focus is typed into behind its text", async () => {
  await page.show(
    `<input id="f" value="joe" onfocus="this.setSelectionRange(0, 0)"><input id="g" value="joe" onfocus="this.select()">`,
  );
  await page.type("#f", "y");
  await page.type("#g", "y");
  assert.deepEqual(await page.value("[f.value, g.value]"), ["joey", "joey"]);
});

test("text goes behind what is in an editable body of a frame that never had the focus", async () => {
  await page.show(
    `<iframe srcdoc="<body contenteditable><p>one</p></body><script>getSelection().collapse(document.querySelector('p').firstChild, 0)</script>"></iframe>`,
  );
  await page.verbs.type({ node_id: await page.idOf(/textbox|paragraph/), text: " two" });
  assert.equal(await inFrame("contentDocument.body.innerText"), "one two");
});

test("a document in design mode is typed into by its frame's id and by those in it, before and after another click", async () => {
  await page.show(`<button id="other">Other</button><iframe id="f" title="Editor" srcdoc="<body>start<p id=p>para</p></body>"></iframe>
    <script>f.onload = () => { f.contentDocument.designMode = "on"; };</script>`);
  await page.type("#f", " 1");
  await page.click("#other");
  await page.type("#f", " 2");
  assert.equal(await inFrame("contentDocument.getElementById('p').innerText"), "para 1 2");
  await page.click("#other");
  await page.type("#p", " 3");
  assert.equal(await inFrame("contentDocument.getElementById('p').innerText"), "para 1 2 3");
});

test("a frame without an editable document is refused", async () => {
  await page.show(`<iframe srcdoc="<p>words"></iframe>`);
  await assert.rejects(
    page.type("iframe", "x"),
    conflict(/is a frame without an editable document; type into an element in it/),
  );
});

test("a host that delegates its focus, and a field that is read-only until it has the focus, take text", async () => {
  await page.show(`<x-b></x-b><input id="u" readonly onfocus="this.removeAttribute('readonly')" aria-label="User"><input id="r" readonly>
    <script>customElements.define("x-b", class extends HTMLElement { constructor() { super();
      this.attachShadow({ mode: "open", delegatesFocus: true }).innerHTML = "<input value=in>"; } });</script>`);
  await page.type("x-b", "ner");
  await page.type("#u", "ada");
  assert.deepEqual(
    await page.value("[document.querySelector('x-b').shadowRoot.querySelector('input').value, u.value]"),
    ["inner", "ada"],
  );
  await assert.rejects(page.type("#r", "x"), conflict(/is read-only/));
});

test("elements in closed shadow roots are typed into and clicked", async () => {
  await page.show(`<x-a></x-a><script>customElements.define("x-a", class extends HTMLElement { constructor() { super();
    this.attachShadow({ mode: "closed" }).innerHTML = "<button onclick=\\"document.title='pressed'\\">Closed button</button><input aria-label='Closed field' oninput='document.title=this.value'>"; } });</script>`);
  await page.verbs.type({ node_id: await page.idOf(/textbox "Closed field"/), text: "within" });
  assert.equal(await page.value("document.title"), "within");
  await page.verbs.click({ node_id: await page.idOf(/button "Closed button"/) });
  assert.equal(await page.value("document.title"), "pressed");
});

test("the parts of a date are typed into, and a date in another order than the field's is refused", async () => {
  await page.show(
    `<label>Day <input id="d" type="date"></label><label>At <input id="t" type="time"></label>`,
  );
  for (const [part, text] of [
    ["Month", "05"],
    ["Day", "17"],
    ["Year", "2026"],
  ] as const)
    await page.verbs.type({ node_id: await page.idOf(new RegExp(`spinbutton "${part}`)), text });
  assert.equal(await page.value("d.value"), "2026-05-17");
  await page.value("d.value = ''");
  await page.type("#d", "05172026");
  assert.equal(await page.value("d.value"), "2026-05-17");
  await assert.rejects(
    page.type("#t", "23:15"),
    conflict(/shows ".*" now: it takes the digits in the order/),
  );
});

test("text that is not there afterwards is a conflict that names the field and the reason", async () => {
  await page.show(`<input id="full" maxlength="4" value="12"><input id="n" type="number"><input id="deaf" value="same" onkeydown="event.preventDefault()">
    <input id="back" value="same" oninput="this.value = 'same'"><input id="sent" onkeydown="if (event.key === 'Enter') { document.title += this.value; this.value = ''; }">
    <div id="locked" contenteditable onbeforeinput="event.preventDefault()">words</div>`);
  await assert.rejects(page.type("#full", "345"), conflict(/<input#full>.* takes at most 4 characters/));
  await assert.rejects(page.type("#n", "12a"), conflict(/<input#n>.* takes a number/));
  for (const selector of ["#deaf", "#back", "#locked"])
    await assert.rejects(
      page.type(selector, "x"),
      conflict(/did not take the text and shows the same as before/),
      selector,
    );
  await page.type("#sent", "ada\n");
  assert.equal(await page.value("document.title + sent.value"), "Shownada");
});
