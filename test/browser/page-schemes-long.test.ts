/** Links to other programs' schemes do nothing: the browser asks no question, and later input reaches the page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { profileOnSite } from "./fixture/on-site.ts";

const { on, visit, find, click, value } = profileOnSite();

/** The browser's question takes the focus from the page about a second after the link. */
const keepsFocus = `new Promise((done) => {
  const end = setTimeout(done, 2_500, true);
  const look = setInterval(() => document.hasFocus() || (clearInterval(look), clearTimeout(end), done(false)), 50);
})`;

async function takesInput(): Promise<void> {
  await click("#stay");
  assert.equal(await value("document.querySelector('#stay').textContent"), "pressed");
  await on.profile.page.type({ node_id: await find("#field"), text: "typed" });
  await on.profile.page.pressKey({ key: "Backspace" });
  assert.equal(await value("document.querySelector('#field').value"), "type");
}

test("after a link to another program, clicks and keys reach the page", async () => {
  for (const link of ["#link", "#mail"]) {
    await visit("/schemes");
    await click(link);
    assert.equal(await value(keepsFocus), true, link);
    await takesInput();
  }
});

test("after a page has asked at its load whether a program is there, clicks and keys reach it", async () => {
  await visit("/scheme-probe");
  await click("#stay");
  assert.equal(await value(keepsFocus), true);
  await takesInput();
});
