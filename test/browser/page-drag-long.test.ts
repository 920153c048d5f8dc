/** drag: real mouse events, HTML5 drag and drop with its data, sliders, frames; and refusals that leave the mouse released. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();
const drag = async (from: string, to: string, to_position?: { x: number; y: number }) =>
  page.verbs.drag({
    from_node_id: await page.find(from),
    to_node_id: await page.find(to),
    ...(to_position === undefined ? {} : { to_position }),
  });
const box = "position:absolute;width:80px;height:60px;background:silver";

test("the page gets a real press, movements and a release over the target", async () => {
  await page.show(`<div id="a" style="${box};left:20px;top:20px">A</div><div id="b" style="${box};left:400px;top:300px">B</div>
    <script>const seen = []; for (const name of ["mousedown", "mousemove", "mouseup"]) addEventListener(name, (event) => {
      if (event.isTrusted && (event.buttons || name === "mouseup")) seen.push([name, event.target.id, event.clientX, event.clientY]);
    });</script>`);
  await drag("#a", "#b", { x: 10, y: 5 });
  const seen = (await page.value("seen")) as [string, string, number, number][];
  assert.deepEqual(seen[0]?.slice(0, 2), ["mousedown", "a"]);
  assert.deepEqual(seen.at(-1), ["mouseup", "b", 410, 305]);
  assert.ok(seen.filter(([name]) => name === "mousemove").length >= 10);
});

test("HTML5 drag and drop carries the page's data, and ends", async () => {
  await page.show(`<div id="a" draggable="true" style="${box};left:20px;top:20px">A</div><div id="b" style="${box};left:400px;top:300px">B</div>
    <script>const seen = [];
    a.ondragstart = (event) => { event.dataTransfer.setData("text/x-card", "card 7"); event.dataTransfer.effectAllowed = "move"; };
    b.ondragover = (event) => event.preventDefault();
    b.ondrop = (event) => { event.preventDefault(); seen.push("drop " + event.dataTransfer.getData("text/x-card")); };
    a.ondragend = () => seen.push("end"); addEventListener("click", () => seen.push("click"));</script>`);
  await drag("#a", "#b");
  assert.deepEqual(await page.value("new Promise((done) => setTimeout(() => done(seen), 50))"), [
    "drop card 7",
    "end",
  ]);
  await page.click("#b");
  assert.equal(await page.value("seen.at(-1)"), "click", "the mouse works as before");
});

test("a range takes the place of the drop", async () => {
  await page.show(
    `<input id="r" type="range" min="0" max="100" value="0" style="width:400px"><p id="p">p</p>`,
  );
  const width = 400;
  await drag("#r", "#r", { x: width - 1, y: 5 });
  assert.ok(Number(await page.value("r.value")) >= 99);
});

test("a target below what the tab shows is scrolled to during the drag", async () => {
  await page.show(`<div id="a" style="${box};left:20px;top:20px">A</div><div id="b" style="${box};left:40px;top:3000px">B</div>
    <script>onmouseup = (event) => { document.title = event.target.id; };</script>`);
  assert.equal((await drag("#a", "#b")).title, "b");
});

test("hidden and covered elements are refused before anything is pressed, and a position outside by name", async () => {
  await page.show(`<div id="a" style="${box};left:20px;top:20px">A</div><div id="b" style="${box};left:400px;top:20px;display:none">B</div>
    <div id="c" style="${box};left:600px;top:20px">C</div><div id="over" style="${box};left:590px;top:10px;width:200px;height:200px">over</div>
    <div id="d" style="${box};left:20px;top:300px">D</div><script>let downs = 0; onmousedown = () => downs++;</script>`);
  await assert.rejects(drag("#a", "#c"), conflict(/covered by/));
  await assert.rejects(drag("#c", "#a"), conflict(/covered by/));
  await assert.rejects(drag("#a", "#d", { x: 500, y: 1 }), {
    kind: "invalid",
    message: /position must lie in the box/,
  });
  await page.value("void (b.style.display = '')");
  const hidden = await page.find("#b");
  await page.value("void (b.style.display = 'none')");
  const from_node_id = await page.find("#a");
  await assert.rejects(page.verbs.drag({ from_node_id, to_node_id: hidden }), conflict(/is hidden/));
  assert.equal(await page.value("downs"), 0);
});

test("hold_ms presses before it moves, for a list that waits for that", async () => {
  await page.show(`<div id="a" style="width:80px;height:40px">Item</div><div id="z" style="width:90px;height:60px;margin-top:90px">Bin</div>
    <script>let began, held; a.onpointerdown = ({ timeStamp }) => { began = timeStamp; held = null; };
      addEventListener("pointermove", ({ timeStamp }) => { held ??= timeStamp - began; });</script>`);
  await page.verbs.drag({
    from_node_id: await page.find("#a"),
    to_node_id: await page.find("#z"),
    hold_ms: 400,
  });
  assert.ok(((await page.value("held")) as number) > 390);
});

test("a native drag that the page does not take is a conflict, and so is one whose target goes meanwhile", async () => {
  await page.show(`<div id="a" draggable="true" style="${box};left:20px;top:20px">A</div><div id="b" style="${box};left:400px;top:300px">B</div>
    <div id="c" style="${box};left:600px;top:300px" ondragover="this.remove()">C</div>
    <div id="d" style="${box};left:20px;top:300px" ondragover="event.preventDefault()" ondrop="this.remove(); document.title = 'dropped'">D</div>
    <div id="f" draggable="true" style="${box};left:600px;top:20px" ondragend="this.style.left = '700px'">F</div>
    <div id="e" style="${box};left:200px;top:300px" ondragover="event.preventDefault()" ondrop="event.stopImmediatePropagation(); location = 'about:blank#left'">E</div>`);
  await assert.rejects(
    drag("#a", "#b"),
    conflict(/the page took no drop on element \d+: the drag ended there/),
  );
  await assert.rejects(drag("#a", "#c"), conflict(/is gone|took no drop/));
  await drag("#f", "#b");
  assert.equal((await drag("#a", "#d")).title, "dropped");
  assert.match((await drag("#a", "#e")).url, /left$/);
});
