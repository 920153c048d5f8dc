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
  await page.show(`<label>Day <input id="d" type="date"></label>`);
  for (const [part, text] of [
    ["Month", "05"],
    ["Day", "17"],
    ["Year", "2026"],
  ] as const)
    await page.verbs.type({ node_id: await page.idOf(new RegExp(`spinbutton "${part}`)), text });
  assert.equal(await page.value("d.value"), "2026-05-17");
  const wrong = page.verbs.type({ node_id: await page.idOf(/spinbutton "Month/), text: "2027-12" });
  await assert.rejects(wrong, conflict(/shows ".*" now/));
  await page.value("d.value = ''");
  await page.type("#d", "05172026");
  assert.equal(await page.value("d.value"), "2026-05-17");
  await assert.rejects(
    page.type("#d", "17.05.2026"),
    conflict(/shows ".*" now: it takes the digits in the order/),
  );
});

test("text that is not there afterwards is a conflict that names the field and the reason", async () => {
  await page.show(`<input id="full" maxlength="4" value="12"><input id="n" type="number"><input id="deaf" value="same" onkeydown="event.preventDefault()">
    <input id="back" value="same" oninput="this.value = 'same'"><input id="sent" onkeydown="if (event.key === 'Enter') { document.title += this.value; this.value = ''; }">
    <div id="locked" contenteditable onbeforeinput="event.preventDefault()">words</div>`);
  await assert.rejects(page.type("#full", "345"), conflict(/<input#full>.* takes at most 4 characters/));
  await assert.rejects(page.type("#n", "12a"), conflict(/<input#n>.* takes a number/));
  const comma = page.verbs.type({ node_id: await page.find("#n"), text: "1,5", clear: true });
  await assert.rejects(comma, conflict(/takes a number.*it has "15" now/));
  for (const selector of ["#deaf", "#back", "#locked"])
    await assert.rejects(
      page.type(selector, "x"),
      conflict(/did not take the text and shows the same as before/),
      selector,
    );
  await page.type("#sent", "ada\n");
  assert.equal(await page.value("document.title + sent.value"), "Shownada");
});

test("a date or time that is not whole, or another one than the text, is a conflict", async () => {
  await page.show(`<input id="d" type="date"><input id="t" type="time">`);
  for (const [selector, text] of [
    ["#d", "0217"],
    ["#d", "02/30/2026"],
    ["#t", "1:05"],
  ] as const)
    await assert.rejects(page.type(selector, text), conflict(/shows no whole date or time now/), text);
  await page.value("d.value = t.value = ''");
  for (const text of ["31/12/2026", "13/01/2026", "29.02.2026"])
    await assert.rejects(
      page.type("#d", text),
      conflict(/shows ".*" now: it takes the digits in the order/),
      text,
    );
  await page.value("d.value = ''");
  await page.type("#d", "12/31/2026");
  assert.equal(await page.value("d.value"), "2026-12-31");
  await page.type("#t", "01:05PM");
  assert.equal(await page.value("t.value"), "13:05");
});

test("a date or time in the form that scripts use goes into the parts of its field", async () => {
  const fields = {
    date: ["2026-02-09", "2027-12-31"],
    "datetime-local": ["2026-02-09T00:05", "2027-12-31T23:59"],
    time: ["12:05", "09:30"],
    month: ["2026-02", "2027-12"],
    week: ["2026-W06", "2027-W52"],
  };
  await page.show(
    Object.keys(fields)
      .map((type) => `<input id="${type}" type="${type}">`)
      .join(""),
  );
  for (const [type, texts] of Object.entries(fields))
    for (const text of [...texts, texts[1] ?? ""]) {
      await page.type(`#${type}`, text);
      assert.equal(await page.value(`document.getElementById("${type}").value`), text);
    }
  await page.show(`<input id="s" type="time" step="0.001"><input id="n" type="date" max="2030-12-31" readonly>
    <input id="l" type="datetime-local" lang="de">`);
  await page.type("#s", "21:10:05.250");
  assert.equal(await page.value("s.value"), "21:10:05.250");
  await page.type("#l", "2026-02-09 13:05");
  assert.equal(await page.value("l.value"), "2026-02-09T13:05");
  await assert.rejects(page.type("#n", "2026-02-09"), conflict(/read-only/));
});

test("the fields of a code, each for one digit, take a text that their page spreads over them", async () => {
  const digit = `<input maxlength="1" oninput="this.nextElementSibling?.focus()">`;
  await page.show(`<div>${digit.repeat(4)}</div>`);
  await page.type("input", "4711");
  const shown = () => page.value("[...document.querySelectorAll('input')].map((one) => one.value).join('')");
  assert.equal(await shown(), "4711");
  await page.show(`<div>${digit.repeat(2)}</div>`);
  await assert.rejects(page.type("input", "4711"), conflict(/takes at most 1 characters/));
});

test("a field that takes no text says so, with what changes it", async () => {
  await page.show(`<input id="c" type="color"><input id="r" type="range"><input id="b" type="checkbox">
    <input id="own" type="range" onkeydown="event.preventDefault(); document.title += event.key">`);
  await assert.rejects(
    page.type("#c", "#ff0000"),
    conflict(/<input#c>.* takes no text: set its value with evaluate/),
  );
  await assert.rejects(page.type("#r", "70"), conflict(/takes no text: press its arrow keys/));
  await assert.rejects(page.type("#b", "on"), conflict(/takes no text: use check/));
  await page.type("#own", "7");
  assert.equal(await page.value("document.title"), "Shown7");
});

test("a field whose page leaves out the text, or a part of it, without any other change says so", async () => {
  const digits = `oninput="this.value = this.value.replace(/\\D/g, '')"`;
  await page.show(`<input id="keys" onkeypress="if (!/\\d/.test(event.key)) event.preventDefault()"><input id="cleaned" ${digits}>
    <input id="dead" onkeydown="event.preventDefault()"><textarea id="area" onbeforeinput="event.preventDefault()"></textarea>
    <input id="short" oninput="this.value = this.value.slice(0, 3)">
    <input id="tag" oninput="document.title += this.value; this.value = ''"><textarea id="far" style="position:absolute;left:-9999px" onkeydown="event.preventDefault()"></textarea>
    <input id="mask" oninput="const d = this.value.replace(/\\D/g, ''); this.value = d && '(' + d + ')'"><input id="upper" oninput="this.value = this.value.toUpperCase()">
    <input id="phone" oninput="this.value = this.value.replace(/^.1/, '')"><input id="dots" oninput="this.value = '•'.repeat(this.value.length)">`);
  for (const selector of ["#keys", "#cleaned", "#dead", "#area"])
    await assert.rejects(
      page.type(selector, "abc"),
      conflict(/did not take the text and shows the same/),
      selector,
    );
  for (const [selector, text, shown] of [
    ["#keys", "1a2", "12"],
    ["#cleaned", "3b4", "34"],
    ["#short", "abcdef", "abc"],
  ] as const)
    await assert.rejects(
      page.type(selector, text),
      (error: Error) => error.message.includes(`left out a part of the text; it has "${shown}" now`),
      selector,
    );
  for (const [selector, text] of [
    ["#tag", "x"],
    ["#far", "abc"],
    ["#mask", "+55 5"],
    ["#upper", "ada"],
    ["#phone", "+1 555 17"],
    ["#dots", "secret"],
  ] as const)
    await page.type(selector, text);
  assert.deepEqual(await page.value("[mask.value, upper.value]"), ["(555)", "ADA"]);
});

test("a refusal does not tell a password", async () => {
  await page.show(`<input id="p" type="password" maxlength="7" value="secret">`);
  await assert.rejects(
    page.type("#p", "toolong"),
    (error: Error) => /takes at most 7/.test(error.message) && !/secret/.test(error.message),
  );
});

test("text of which the page loses a part, because it takes the focus away, is a conflict with what is there", async () => {
  const lost = (shown: string) =>
    conflict(new RegExp(`lost the keyboard focus while it was typed into.*it has "${shown}" now`));
  await page.show(`<input id="field" oninput="if (value.length === 3) blur()">`);
  await assert.rejects(page.type("#field", "Automation"), lost("Aut"));
  await page.show(
    `<input id="field" value="x" oninput="if (value.length === 4) other.focus()"><button id="other">Other</button>`,
  );
  await assert.rejects(page.type("#field", "Automation"), lost("xAut"));
  await page.show(`<div id="box"><input id="field"></div><script>
    field.oninput = () => { if (field.value.length === 3) box.innerHTML = box.innerHTML; };</script>`);
  await assert.rejects(page.type("#field", "Automation"), lost("Aut"));
});

test("the focus may leave a field behind its last sign, and keys that the page uses are not lost", async () => {
  await page.show(`<input id="field" oninput="if (value.length === 3) blur()"><p id="said"></p><script>
    document.onkeydown = (event) => {
      if (event.target === field) return;
      event.preventDefault();
      said.textContent += event.key;
    };</script>`);
  await page.type("#field", "abc");
  assert.equal(await page.value("field.value"), "abc");
  await page.verbs.type({ node_id: await page.find("#field"), text: "xyz", clear: true });
  await page.show(`<input id="field" oninput="if (value.length === 3) next.focus()"><input id="next">`);
  await page.type("#field", "abcdef");
  assert.deepEqual(await page.value("[field.value, next.value]"), ["abc", "def"]);
});
