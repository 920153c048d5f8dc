/** The verbs dialog and answer-dialog: what shows or was last answered, and how the next one or each is answered. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { profileOnSite } from "./fixture/on-site.ts";

const { on, visit, value } = profileOnSite();
const state = () => on.profile.page.dialog({});
const answer = (input: { accept: boolean; text?: string; remember?: boolean }) =>
  on.profile.page.answerDialog(input);

afterEach(async () => {
  await answer({ accept: false });
  await value("alert('last')");
  assert.equal((await state()).next, null);
});

test("the next dialog gets the answer, and the one after it is dismissed as before", async () => {
  await visit("/");
  assert.deepEqual((await answer({ accept: true, text: "Ada" })).next, { accept: true, text: "Ada" });
  const { result, dialogs } = await on.profile.page.evaluate({
    expression: "[prompt('Name?'), confirm('Sure?')]",
  });
  assert.deepEqual(result, ["Ada", false]);
  assert.deepEqual(dialogs, [
    { type: "prompt", message: "Name?", accepted: true },
    { type: "confirm", message: "Sure?" },
  ]);
  assert.deepEqual(await state(), { showing: null, last: { type: "confirm", message: "Sure?" }, next: null });
});

test("remember answers each one until another answer is given", async () => {
  await visit("/");
  await answer({ accept: true, remember: true });
  assert.deepEqual(await value("[confirm('1'), confirm('2')]"), [true, true]);
  await answer({ accept: false });
  assert.deepEqual(await value("[confirm('3'), confirm('4')]"), [false, false]);
});

test("a dialog that shows between verbs is read and answered, and later ones are not", async () => {
  await visit("/");
  const asked = new Promise<void>((resolve) => {
    on.site.onRequest = (path) => path === "/asked" && resolve();
  });
  // It opens only once the verb that sets it up has ended.
  await value("void setTimeout(() => { fetch('/asked'); answer = prompt('Code?'); }, 300)");
  await asked;
  let showing = null;
  for (; showing === null; { showing } = await state()) await new Promise(setImmediate);
  assert.deepEqual(
    [showing, (await state()).next],
    [{ type: "prompt", message: "Code?", tab_id: (await on.profile.page.listTabs({}))[0]?.tab_id }, null],
  );
  const { showing: none, last, next } = await answer({ accept: true, text: "42" });
  assert.deepEqual([none, last, next], [null, { type: "prompt", message: "Code?", accepted: true }, null]);
  assert.equal(await value("answer"), "42");
});

test("an answer leaves a page that asks before it is left, and is kept for the next dialog", async () => {
  await visit("/dialogs");
  await on.profile.page.click({
    node_id: (await on.profile.page.waitForElement({ selector: "#ask" })).node_id,
  });
  await answer({ accept: true });
  assert.equal((await visit("/next")).title, "Next");
  assert.equal(await value("confirm('Kept?')"), true);
});

test("text without accept is refused, and so is a tab that is not open", async () => {
  await assert.rejects(answer({ accept: false, text: "x" }), {
    kind: "invalid",
    message: /^text must be left out/,
  });
  await assert.rejects(on.profile.page.dialog({ tab_id: "nobody" }), { kind: "not-found" });
});

test("a prompt that is accepted without a text gives what it has in its field", async () => {
  await visit("/");
  for (const [text, said] of [
    [undefined, "Ada"],
    ["", ""],
    ["Bob", "Bob"],
  ]) {
    await answer({ accept: true, ...(text === undefined ? {} : { text }) });
    assert.equal(await value("prompt('Name?', 'Ada')"), said);
  }
});
