/** scroll: the page, a box in it, an element in a frame; each reply says where it stands and where it ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();
const box = `<div id="box" style="width:200px;height:100px;overflow:auto;margin:40px">
  <div id="inner" style="height:60px;overflow:auto"><div style="height:300px">inner</div></div>
  <div style="height:900px;width:500px">long</div><b id="end">end</b></div>`;

test("the reply says where the page stands and where it ends", async () => {
  await page.show(`<div style="height:5000px;width:4000px">long</div>`);
  const down = await page.verbs.scroll({ direction: "down", amount: 700 });
  assert.deepEqual([down.x, down.y, await page.value("scrollY")], [0, 700, 700]);
  const right = await page.verbs.scroll({ direction: "right", amount: 100_000 });
  assert.deepEqual([right.x, right.y], [right.max_x, 700]);
  assert.ok(right.max_x > 0 && right.max_y > 3_000);
});

test("where the page itself does not scroll, the reply is of the box in its middle", async () => {
  await page.show(
    `<style>body{margin:0}</style><div id="app" style="height:100vh;overflow:auto"><p style="height:3000px">app</p></div>`,
  );
  const { y, max_y } = await page.verbs.scroll({ direction: "down", amount: 300 });
  assert.deepEqual([y, await page.value("app.scrollTop")], [300, 300]);
  assert.ok(max_y > 1_000);
});

test("a box that starts at its end scrolls back, with negative places as the page has them", async () => {
  await page.show(`<style>#box{display:flex;flex-direction:column-reverse;width:200px;height:100px;overflow:auto}</style>
    <div id="box" onwheel="event.preventDefault()"><p style="height:900px;flex:none">chat</p></div>`);
  const node_id = await page.find("#box");
  const { y, max_y } = await page.verbs.scroll({ node_id, direction: "up", amount: 300 });
  assert.deepEqual([y, await page.value("box.scrollTop"), max_y > 700], [-300, -300, true]);
});

test("node_id scrolls that element, also where a box inside it takes the wheel, and not the page", async () => {
  await page.show(`${box}<div style="height:5000px">long</div>`);
  const node_id = await page.find("#box");
  const down = await page.verbs.scroll({ direction: "down", amount: 250, node_id });
  assert.deepEqual(await page.value("[box.scrollTop > 0 || inner.scrollTop > 0, scrollY]"), [true, 0]);
  assert.deepEqual([down.y, down.max_x > 0], [await page.value("box.scrollTop"), true]);
  assert.equal(down.y, 250);
  const end = await page.verbs.scroll({ direction: "down", amount: 100_000, node_id });
  assert.equal(end.y, end.max_y);
});

test("an element that does not scroll gives the wheel to the box around it, and a page hears a real wheel", async () => {
  await page.show(
    `${box}<script>box.addEventListener("wheel", (event) => { box.title = event.isTrusted; });</script>`,
  );
  await page.verbs.scroll({ node_id: await page.find("#end"), into_view: true });
  const node_id = await page.find("#end");
  const up = await page.verbs.scroll({ direction: "up", amount: 50, node_id });
  assert.equal(up.y, await page.value("box.scrollTop"));
  assert.equal(await page.value("box.title"), "true");
});

test("into_view brings an element of a frame into view, and the reply is of what scrolls it", async () => {
  const inner = `<body style='height:4000px'><button style='position:absolute;top:3000px'>Far</button>`;
  await page.show(
    `<div style="height:3000px">long</div><iframe id="f" srcdoc="${inner}" style="height:200px"></iframe>`,
  );
  const line = /button "Far"/;
  const { y, max_y } = await page.verbs.scroll({ node_id: await page.idOf(line), into_view: true });
  assert.ok(y > 2_000 && max_y > 3_000, `${y} of ${max_y}`);
  assert.equal(await page.value("f.contentWindow.scrollY"), y);
  assert.equal(await page.value("f.getBoundingClientRect().top < innerHeight"), true);
});

test("a missing key, keys that do not go together and a hidden element are refused by name", async () => {
  await page.show(`<p id="none" style="display:none">none</p>${box}`);
  const refused = (input: object, message: RegExp) =>
    assert.rejects(page.verbs.scroll(input), { kind: "invalid", message });
  await refused({ direction: "down" }, /^amount is required/);
  await refused({ amount: 1 }, /^direction is required/);
  await refused({ into_view: true }, /^node_id is required with into_view/);
  await refused({ into_view: true, node_id: 1, amount: 5 }, /^amount must be left out with into_view/);
  await assert.rejects(
    page.verbs.scroll({ node_id: await page.find("#none"), into_view: true }),
    conflict(/hidden/),
  );
});
