/** The verb hover on a real page: where the mouse is felt, and when it is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { profileOnSite } from "./fixture/on-site.ts";

const { on, visit, find, value } = profileOnSite();

const hover = async (selector: string, position?: { x: number; y: number }) =>
  on.profile.page.hover({ node_id: await find(selector), ...(position === undefined ? {} : { position }) });
const idsOf = async (pattern: RegExp) =>
  [...(await on.profile.page.snapshot({})).snapshot.matchAll(pattern)].map((match) => Number(match[1]));

test("hover scrolls the element into view and moves a real mouse to its middle", async () => {
  await visit("/hover");
  assert.deepEqual(await hover("#spot"), { url: `${on.site.origin}/hover`, title: "Hover" });
  const felt = (await value("felt")) as string[];
  assert.deepEqual(new Set(felt), new Set(["mouseover,spot,60,20,true,0", "mousemove,spot,60,20,true,0"]));
});

test("hover moves the mouse to a position in the box, also far down in a scroller", async () => {
  await visit("/hover");
  await hover("#spot", { x: 3, y: 37 });
  assert.equal(await value("felt.at(-1)"), "mousemove,spot,3,37,true,0");
  await hover("#tall", { x: 150, y: 4_000 });
  assert.equal(await value("felt.at(-1)"), "mousemove,tall,150,4000,true,0");
});

test("hover at the same place again is felt again", async () => {
  await visit("/hover");
  await hover("#spot");
  await value("felt.length = 0");
  await hover("#spot");
  assert.equal(await value("felt.at(-1)"), "mousemove,spot,60,20,true,0");
});

test("a menu that opens on hover stays open for the click on its item", async () => {
  await visit("/hover");
  assert.deepEqual(await idsOf(/button "Shoes" \[id=(\d+)\]/g), []);
  await hover("#nav");
  const [item = -1] = await idsOf(/button "Shoes" \[id=(\d+)\]/g);
  assert.equal((await on.profile.page.click({ node_id: item })).title, "chosen");
});

test("hover reaches into frames of the page's process and of others", async () => {
  await visit("/hover-frames");
  const ids = await idsOf(/button "Inner button" \[id=(\d+)\]/g);
  assert.equal(ids.length, 2);
  for (const node_id of ids) {
    await on.profile.page.hover({ node_id });
    assert.deepEqual(
      await idsOf(/button "hinted" \[id=(\d+)\]/g),
      [...ids].slice(0, ids.indexOf(node_id) + 1),
    );
  }
});

test("hover refuses an element that is hidden or covered, and takes a disabled one", async () => {
  await visit("/hidden");
  await assert.rejects(hover("#none"), conflict(/<button#none> "None", is hidden: it has no box/));
  await assert.rejects(hover("#invisible"), conflict(/is hidden: its visibility is hidden/));
  await assert.rejects(hover("#under"), conflict(/is covered by <div#veil> "Veil"/));
  await assert.rejects(hover("#under", { x: 1, y: 1 }), conflict(/is covered by <div#veil> "Veil"/));
  await hover("#off");
  assert.equal(await value("document.querySelector('#off').matches(':hover')"), true);
});

test("hover refuses a position outside the box, naming the field and the box's size", async () => {
  await visit("/hover");
  for (const position of [
    { x: 120, y: 1 },
    { x: 1, y: 40.5 },
  ]) {
    const message = new RegExp(
      `^position must lie in the box of element \\d+, 120 x 40 pixels, got x ${position.x}, y ${position.y}$`,
    );
    await assert.rejects(hover("#spot", position), { name: "Fault", kind: "invalid", message });
  }
  assert.equal(await value("felt.length"), 0);
});
