/** The page verbs on a real page: their effects and their errors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { profileOnSite } from "./fixture/on-site.ts";
import { openSite } from "./fixture/site.ts";

const { on, visit, find, click, type, value } = profileOnSite();

test("navigate returns the address after the load event", async () => {
  assert.deepEqual(await visit("/next"), { url: `${on.site.origin}/next`, title: "Next" });
});

test("navigate within the document ends at once", async () => {
  await visit("/");
  assert.equal((await visit("/#part")).url, `${on.site.origin}/#part`);
});

test("navigate follows a page that redirects before its load event", async () => {
  assert.equal((await visit("/sends-on")).title, "Next");
});

test("navigate reports the browser's reason when a load fails", async () => {
  const closed = await openSite();
  await closed.close();
  const url = `${closed.origin}/`;
  await assert.rejects(on.profile.page.navigate({ url }), conflict(/failed: net::ERR_CONNECTION_REFUSED/));
  await assert.rejects(visit("/empty"), conflict(/failed: net::ERR_ABORTED/));
  await assert.rejects(
    visit("/download"),
    conflict(/started a download .*; the list of downloads has the file/),
  );
});

test("navigate refuses every other scheme as invalid", async () => {
  for (const url of ["file:///etc/passwd", "chrome://version", "javascript:1", "about:config", "nowhere"]) {
    await assert.rejects(on.profile.page.navigate({ url }), { kind: "invalid" }, url);
  }
  await on.profile.page.navigate({ url: "data:text/html,<title>Data</title>" });
  await on.profile.page.navigate({ url: "about:blank" });
});

test("snapshot shows the address, roles, names, values and states, and nothing irrelevant", async () => {
  await visit("/");
  const { snapshot } = await on.profile.page.snapshot({});
  const lines = snapshot.replaceAll(/ ?\[id=\d+\]/g, "").split("\n");
  assert.deepEqual(lines, [
    `Start — ${on.site.origin}/`,
    'heading "Welcome" level=1',
    "paragraph",
    '  text "A paragraph with"',
    `  link "a link" url=${on.site.origin}/next`,
    '  text "in it."',
    'text "Bare words"',
    'checkbox "I agree" checked',
    'button "Go"',
    'button "Not now" disabled',
    'combobox "Colour" value="green" collapsed',
    '  option "red"',
    '  option "green" selected',
    "status",
    'button "Low"',
  ]);
});

test("an id is the same in the next snapshot and in wait-for-element while its element lives", async () => {
  await visit("/");
  const first = await on.profile.page.snapshot({});
  assert.equal((await on.profile.page.snapshot({})).snapshot, first.snapshot);
  const id = await find("#go");
  assert.match(first.snapshot, new RegExp(`button "Go" \\[id=${id}\\]`));
});

test("click scrolls the element into view and presses a real mouse button", async () => {
  await visit("/");
  await click("#go");
  assert.equal(await value("said.textContent"), "clicked true");
  assert.equal((await click("#low")).title, "low");
});

test("click returns the address of the page that it opens", async () => {
  await visit("/");
  assert.deepEqual(await click("a"), { url: `${on.site.origin}/next`, title: "Next" });
});

test("click waits until a moving element stops", async () => {
  await visit("/moving");
  assert.equal((await click("#run")).title, "caught");
});

test("click scrolls on when a fixed bar lies over the element", async () => {
  await visit("/sticky");
  assert.equal((await click("#first")).title, "first clicked");
});

test("click refuses an element that is hidden, covered, disabled or an option of a closed list", async () => {
  await visit("/hidden");
  await assert.rejects(click("#none"), conflict(/<button#none> "None", is hidden: it has no box/));
  await assert.rejects(click("#invisible"), conflict(/is hidden: its visibility is hidden/));
  await assert.rejects(click("#under"), conflict(/is covered by <div#veil> "Veil"/));
  await assert.rejects(click("#off"), conflict(/is disabled/));
  await visit("/");
  await assert.rejects(click("option"), conflict(/option of a closed list/));
});

test("an id whose element or document is gone, or that was never issued, is a conflict with that reason", async () => {
  await visit("/");
  const removed = await find("#go");
  const left = await find("#low");
  await value("document.getElementById('go').remove()");
  await assert.rejects(
    on.profile.page.click({ node_id: removed }),
    conflict(/is gone: the page has changed/),
  );
  await visit("/");
  await assert.rejects(on.profile.page.click({ node_id: left }), conflict(/is gone: the page has changed/));
  await assert.rejects(on.profile.page.click({ node_id: 4_000_000 }), conflict(/node_id 4000000 is unknown/));
});

test("type presses keys, inserts text of any script, and keeps the existing text", async () => {
  await visit("/typing");
  const text = "aB! é 日本語 👩‍👩‍👧";
  for (const field of ["#line", "#area", "#edit"]) await type(field, text);
  assert.deepEqual(await value("[line.value, area.value, edit.innerText]"), [
    `abc${text}`,
    text,
    `start${text}`,
  ]);
  assert.deepEqual(await value("events.slice(0, 3)"), [
    "keydown:a:true",
    "beforeinput:a:true",
    "input:a:true",
  ]);
});

test("type starts at the caret when the element has the focus", async () => {
  await visit("/typing");
  await type("#line", "d");
  await on.profile.page.pressKey({ key: "ArrowLeft" });
  await type("#line", "-");
  assert.equal(await value("line.value"), "abc-d");
});

test("type inserts all of a long text", async () => {
  await visit("/typing");
  const text = "long 👍 text ".repeat(2_000);
  await type("#area", text);
  assert.equal(await value("area.value.length"), text.length);
});

test("a line break in a text is Enter: it submits a form", async () => {
  await visit("/typing");
  assert.equal((await type("#query", "two words\n")).url, `${on.site.origin}/next?q=two+words`);
});

test("type refuses an element that takes no text", async () => {
  await visit("/typing");
  await assert.rejects(type("#fixed", "x"), conflict(/read-only/));
  await assert.rejects(type("#plain", "x"), conflict(/cannot take the keyboard focus/));
});

test("press-key presses the named keys where the focus is", async () => {
  await visit("/typing");
  await type("#area", "one");
  for (const key of ["Enter", "Space", "ArrowUp", "Delete", "Backspace"] as const)
    await on.profile.page.pressKey({ key });
  assert.equal(await value("area.value"), "e\n ");
  await on.profile.page.pressKey({ key: "Tab" });
  assert.equal(await value("document.activeElement.id"), "edit");
});

test("scroll moves the page by the given pixels, and returns when it stands still", async () => {
  await visit("/");
  await on.profile.page.scroll({ direction: "down", amount: 700 });
  assert.equal(await value("scrollY"), 700);
  await on.profile.page.scroll({ direction: "up", amount: 100_000 });
  assert.equal(await value("scrollY"), 0);
  await on.profile.page.scroll({ direction: "right", amount: 50 });
});

test("evaluate awaits promises and returns JSON", async () => {
  await visit("/");
  assert.deepEqual(await value("Promise.resolve({ a: [1, 'é', null] })"), { a: [1, "é", null] });
  assert.equal(await value("undefined"), null);
  assert.equal(await value("NaN"), null);
});

test("evaluate reports an exception with its stack, a result that is too large with its size, and a BigInt", async () => {
  await visit("/");
  await assert.rejects(
    value("null.x"),
    conflict(/the page threw: TypeError: Cannot read[\s\S]*at <anonymous>/),
  );
  await assert.rejects(value("Promise.reject('no')"), conflict(/the page threw: "no"/));
  await assert.rejects(value("'x'.repeat(70000)"), conflict(/70002 bytes/));
  await assert.rejects(value("1n"), conflict(/BigInt/));
  await assert.rejects(value("("), conflict(/SyntaxError/));
});

test("evaluate reports a page that is left during the call", async () => {
  await visit("/");
  const going = value("location.href = '/next', new Promise(() => {})");
  await assert.rejects(going, conflict(/page changed during evaluate/));
});

test("wait-for-element survives navigations and finds what appears later", async () => {
  await visit("/moves-on");
  const reply = await on.profile.page.waitForElement({ selector: "#late", timeout_ms: 5_000 });
  assert.equal(reply.title, "Appears");
  assert.match(
    (await on.profile.page.snapshot({})).snapshot,
    new RegExp(`paragraph \\[id=${reply.node_id}\\]: here`),
  );
});

test("wait-for-element reports that nothing matched, or that a selector is not CSS", async () => {
  await visit("/");
  const absent = { selector: "#absent", timeout_ms: 120 };
  await assert.rejects(
    on.profile.page.waitForElement(absent),
    conflict(/nothing matched "#absent" within 120 ms/),
  );
  await assert.rejects(on.profile.page.waitForElement({ selector: "##", timeout_ms: 0 }), {
    kind: "invalid",
  });
});

test("verbs reach into open shadow roots", async () => {
  await visit("/shadow");
  await type("#deepfield", "in the deep");
  assert.equal((await click("#deep")).title, "deep clicked");
  assert.match(
    (await on.profile.page.snapshot({})).snapshot,
    /textbox "Deep field" \[id=\d+\] value="in the deep"/,
  );
});

test("verbs reach into frames of the page's process and of others, also nested ones", async () => {
  await visit("/frames");
  const before = (await on.profile.page.snapshot({})).snapshot;
  const idsOf = (pattern: RegExp) => [...before.matchAll(pattern)].map((match) => Number(match[1]));
  const buttons = idsOf(/button "Inner button" \[id=(\d+)\]/g);
  const fields = idsOf(/textbox "Inner field" \[id=(\d+)\]/g);
  assert.equal(buttons.length, 2, before);
  for (const nodeId of buttons) await on.profile.page.click({ node_id: nodeId });
  for (const nodeId of fields) await on.profile.page.type({ node_id: nodeId, text: "wörds" });
  const { snapshot } = await on.profile.page.snapshot({});
  assert.equal(snapshot.match(/button "pressed"/g)?.length, 2, snapshot);
  assert.equal(snapshot.match(/value="wörds"/g)?.length, 2, snapshot);
  assert.match(
    snapshot,
    /iframe "far"[\s\S]*paragraph \[id=\d+\]: Nested words\n {2}iframe "back"[\s\S]*pressed/,
  );
});

test("verbs of one profile run one at a time, in order", async () => {
  await visit("/");
  const order: number[] = [];
  const calls = [30, 0, 10].map((ms, at) =>
    value(`new Promise((done) => setTimeout(done, ${ms}))`).then(() => order.push(at)),
  );
  await Promise.all(calls);
  assert.deepEqual(order, [0, 1, 2]);
});
