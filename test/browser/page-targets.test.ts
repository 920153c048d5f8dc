/** Clicks on what a person can click: the page's own record says that the element was pressed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();

const title = () => page.value("document.title");
const says = (word: string) => `onclick="document.title='${word}'"`;

async function pressed(selector: string, word: string): Promise<void> {
  await page.click(selector);
  assert.equal(await title(), word);
}

const map = `<img id="i" style="padding:7px;border:3px solid" width="200" height="100" usemap="#m" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'/>">
  <map name="m"><area id="r" shape="rect" coords="100,0,200,100" href="#" alt="Right" ${says("right")}><area id="c" shape="circle" coords="30,50,20" href="#" alt="Circle" ${says("circle")}>
  <area id="p" shape="poly" coords="60,10,90,10,90,90" href="#" alt="Triangle" ${says("poly")}></map>`;

test("areas of an image map are clicked where the image shows them, also turned and far below", async () => {
  for (const style of ["", "transform:rotate(30deg) scale(-1,1)", "margin-top:3000px"]) {
    await page.show(`<div style="${style}">${map}</div>`);
    for (const [selector, word] of [
      ["#r", "right"],
      ["#c", "circle"],
      ["#p", "poly"],
    ] as const)
      await pressed(selector, word);
  }
});

test("an element without a box of its own is clicked on what is in it", async () => {
  await page.show(`<a id="a" href="#" ${says("link")} style="display:contents"><span>Contents link</span></a><p><button id="b" style="display:contents" ${says("text")}>Contents button</button>
    <p style="margin-top:3000px"><button id="c" style="display:contents" ${says("far")}>Far text</button>
    <p><span id="d" ${says("inner")} style="position:relative"><i style="position:absolute;width:40px;height:20px;background:red"></i></span>`);
  await pressed("#a", "link");
  await pressed("#b", "text");
  await pressed("#c", "far");
  await pressed("#d", "inner");
});

test("lines and rings are clicked on what is painted", async () => {
  await page.show(`<svg width="300" height="300"><line id="l" x1="50" y1="50" x2="250" y2="50" stroke="black" stroke-width="10" ${says("line")} />
    <circle id="r" cx="150" cy="180" r="60" fill="none" stroke="black" stroke-width="4" ${says("svg ring")} />
    <g id="g" ${says("group")}><path d="M 10 100 Q 60 290 290 290" fill="none" stroke="red" stroke-width="3"/></g></svg>
    <div id="h" ${says("ring")} style="width:100px;height:100px;background:blue;clip-path:path(evenodd,'M0 0H100V100H0ZM8 8H92V92H8Z')"></div>`);
  for (const [selector, word] of [
    ["#l", "line"],
    ["#r", "svg ring"],
    ["#g", "group"],
    ["#h", "ring"],
  ] as const)
    await pressed(selector, word);
});

test("a part that is free of what covers the middle is clicked, and not a control inside", async () => {
  await page.show(`<div style="position:relative;width:200px"><button id="b" style="width:200px;height:60px" ${says("free")}>Partly</button>
    <div style="position:absolute;left:50px;top:10px;width:100px;height:40px;background:#ccc" ${says("veil")}></div></div>
    <div id="card" role="button" tabindex="0" style="width:200px;height:80px;text-align:center;line-height:80px" ${says("card")}><a href="#x" onclick="event.stopPropagation();document.title='link'">inner link</a></div>
    <label id="l" style="display:block;width:200px;text-align:center"><input id="k" type="checkbox">I agree to <a href="#y" onclick="document.title='terms'">all of these terms</a></label>`);
  await pressed("#b", "free");
  await pressed("#card", "card");
  await page.click("#l");
  assert.deepEqual(await page.value("[k.checked, document.title]"), [true, "card"]);
});

test("content that is not rendered until it is scrolled to is clicked", async () => {
  await page.show(`${"<section style='content-visibility:auto;contain-intrinsic-size:auto 400px'><p style='height:700px'>text</p></section>".repeat(8)}
    <section style="content-visibility:auto;contain-intrinsic-size:auto 400px"><button id="b" ${says("rendered")}>Far</button></section>
    <section style="content-visibility:hidden"><button id="h">Never</button></section>`);
  await pressed("#b", "rendered");
  await assert.rejects(page.click("#h"), conflict(/is hidden: it is not rendered/));
});

test("a snapshot says where content is not rendered, and shows it once it is scrolled to", async () => {
  await page.show(`<div style="height:9000px">above</div><section id="s" style="content-visibility:auto;contain-intrinsic-size:auto 40px"><h2>Far heading</h2></section>
    <article style="content-visibility:auto;contain-intrinsic-size:auto 40px">Far words</article>`);
  const { snapshot } = await page.verbs.snapshot({});
  assert.match(snapshot, /^generic \[id=\d+\] unrendered$/m);
  assert.match(snapshot, /^article \[id=\d+\] unrendered$/m);
  await page.verbs.click({ node_id: await page.idOf(/^generic .* unrendered/) });
  const shown = (await page.verbs.snapshot({})).snapshot;
  assert.match(shown, /heading "Far heading"/);
  assert.doesNotMatch(shown, /unrendered/);
});

test("a picker, which the browser draws outside the page, is opened and not listed", async () => {
  await page.show(`<input id="d" type="date" value="2026-05-17"><input id="c" type="color">`);
  await page.verbs.click({ node_id: await page.idOf(/button "Show date picker/) });
  const { snapshot } = await page.verbs.snapshot({});
  assert.match(snapshot, /spinbutton "Year/);
  assert.doesNotMatch(snapshot, /gridcell|Today/);
  await page.verbs.pressKey({ key: "ArrowRight" });
  await page.verbs.pressKey({ key: "Enter" });
  assert.equal(await page.value("d.value"), "2026-05-18");
});

const inside = (word: string) => `onclick='parent.postMessage(&quot;${word}&quot;,&quot;*&quot;)'`;
const framed = (style: string) => `<script>onmessage = (event) => { document.title = event.data; };</script>
  <iframe style="width:400px;height:250px;border:6px solid;padding:9px;${style}" srcdoc="<body style='margin:0'><div style='height:60px'>top</div><button id=ib style='width:100px;height:30px' ${inside("pressed")}>Inner</button><div style='height:300px' ${inside("WRONG")}>below"></iframe>`;

test("an element in a turned, mirrored or tilted frame is the one that is pressed", async () => {
  for (const turn of [
    "rotate(180deg)",
    "scale(-1,1)",
    "rotate(35deg) scale(.8)",
    "perspective(500px) rotateY(40deg)",
    "skew(20deg,5deg)",
  ]) {
    await page.show(`<div style="padding:120px">${framed(`transform:${turn}`)}</div>`);
    await pressed("#ib", "pressed");
  }
});

test("an element in a zoomed frame, and an area of a zoomed image, are the ones that are pressed", async () => {
  const relayed = `<script>onmessage = (event) => parent.postMessage(event.data, "*");</script>`;
  for (const [outer, inner] of [
    [0.5, 1],
    [1.5, 0.8],
    [0.8, 0.8],
  ]) {
    const nested = `<body style="zoom:${inner}">${relayed}${framed("zoom:1.2;transform:rotate(10deg)").replace(/<script>.*?<\/script>/, "")}`;
    await page.show(`<script>onmessage = (event) => { document.title = event.data; };</script><div style="zoom:${outer};padding:50px">${map}
      <iframe style="zoom:${inner};width:700px;height:600px;border:5px solid;padding:20px" srcdoc="${nested.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe></div>`);
    await pressed("#ib", "pressed");
    await pressed("#p", "poly");
  }
});

test("an element in a frame in shadow roots is pressed, however they are opened", async () => {
  for (const [outer, inner] of [
    ["open", "closed"],
    ["closed", "closed"],
  ]) {
    await page.show(`<div style="padding:90px"><template shadowrootmode="${outer}"><div style="padding:150px"><template shadowrootmode="${inner}">
      ${framed("").replace(/<script>.*?<\/script>/, "")}</template></div></template></div><script>onmessage = (event) => { document.title = event.data; };</script>`);
    await page.verbs.click({ node_id: await page.idOf(/button "Inner"/) });
    assert.equal(await title(), "pressed");
  }
});

test("an element between bars that stay, in the page and in a scroller, is scrolled to the gap", async () => {
  const bar = (place: string, position: string) =>
    `<div style="position:${position};${place};left:0;right:0;background:#ccc;z-index:1">bar</div>`;
  await page.show(
    `${bar("top:0;height:62%", "fixed")}${bar("bottom:0;height:26%", "fixed")}<div style="height:2000px"></div><button id="b" ${says("gap")}>B</button><div style="height:2000px"></div>`,
  );
  await pressed("#b", "gap");
  await page.show(`<div style="height:300px;overflow:auto;position:relative">${bar("top:0;height:200px", "sticky")}<div style="height:900px"></div><button id="b" ${says("inner gap")}>B</button>
    <div style="height:900px"></div>${bar("bottom:0;height:60px", "sticky")}</div>`);
  await pressed("#b", "inner gap");
});

test("an element that moves without end is clicked where it is, and the reply says so", async () => {
  await page.show(
    `<style>@keyframes go{from{transform:none}to{transform:translate(300px,40px)}}#m{animation:go 1s linear infinite alternate}</style><button id="m" ${says("caught")}>Run</button>`,
  );
  assert.equal((await page.click("#m")).moving, true);
  assert.equal(await title(), "caught");
  await page.show(`<button id="s">Still</button>`);
  assert.equal("moving" in (await page.click("#s")), false);
});

test("an option of an open list, of a closed one and of a field is each refused with its own reason, and one in a box is clicked", async () => {
  await page.show(`<select id="box" size="3"><option>a<option id="two">b</select><select id="list"><option>a<option id="o">b</select>
    <input list="words"><datalist id="words"><option id="w">word</datalist>`);
  await page.click("#two");
  assert.equal(await page.value("box.value"), "b");
  await assert.rejects(page.click("#o"), conflict(/an option of a closed list/));
  await page.click("#list");
  if (await page.value("list.matches(':open')")) {
    await assert.rejects(page.click("#o"), conflict(/an option of an open list.*arrow keys and Enter/));
    await page.verbs.pressKey({ key: "Escape" });
  }
  await assert.rejects(page.click("#w"), conflict(/a suggestion of a field/));
});

const unseen = "position:absolute;clip:rect(0 0 0 0);overflow:hidden;margin:-1px;padding:0;border:0";

test("a control is not covered by its own thumb or label", async () => {
  await page.show(`<span style="position:relative;display:inline-block;width:200px;height:20px;background:#eee"><span style="position:absolute;left:90px;width:20px;height:20px;background:blue"
      onmousedown="document.title='thumb';setTimeout(() => s.focus())" onmouseup="s.focus()"><input id="s" type="range" style="${unseen};width:100%;height:100%"></span></span>
    <p>${[1, 2, 3].map((n) => `<label for="r${n}">star${n}</label><input id="r${n}" type="radio" name="rating" style="${unseen};width:1px;height:1px">`).join("")}</p>
    <p><input id="none" type="checkbox" hidden><label for="none">Shown label</label></p>
    <p><span style="position:relative;background:#eee"><input id="dead" type="checkbox" style="${unseen};width:100%;height:100%">nothing takes it</span></p>`);
  await page.click("#s");
  assert.deepEqual(await page.value("[document.title, document.activeElement.id]"), ["thumb", "s"]);
  for (const n of [2, 1, 3]) {
    await page.click(`#r${n}`);
    assert.equal(await page.value("document.querySelector(':checked').id"), `r${n}`);
  }
  await page.click("#none");
  assert.equal(await page.value("none.checked"), true);
  await assert.rejects(page.click("#dead"), conflict(/<input#dead>.* is covered by <span>/));
});

test("an overlay that the mouse itself brings up is not pressed in the element's place", async () => {
  await page.show(`<button id="b" ${says("pressed")}>B</button><div id="veil" style="position:fixed;inset:0;display:none" ${says("WRONG")}>Veil</div>
    <script>b.onpointermove = () => { veil.style.display = "block"; };</script>`);
  await assert.rejects(page.click("#b"), conflict(/is covered by <div#veil>/));
  assert.equal(await title(), "Shown");
  await page.value("veil.remove()");
  await pressed("#b", "pressed");
});

test("an element that slides into the page, or whose cover slides away, is waited for and pressed", async () => {
  await page.show(
    `<style>@keyframes in{from{transform:translateX(600px)}}</style><button id="b" style="position:fixed;right:20px;top:20px;animation:in .5s .3s both" ${says("in")}>Slides</button>`,
  );
  await pressed("#b", "in");
  await page.show(
    `<style>@keyframes away{to{transform:translateX(-100vw)}}</style><button id="b" ${says("free")}>Under</button><div style="position:fixed;inset:0;background:#ccc;animation:away .5s .3s both">toast</div>`,
  );
  await pressed("#b", "free");
});

test("an element that its page has made inert is said to be inert", async () => {
  await page.show(`<div inert><button id="b">Buy</button><input id="f"></div>`);
  await assert.rejects(page.click("#b"), conflict(/<button#b>.* is inert/));
  await assert.rejects(page.type("#f", "x"), conflict(/<input#f>.* is inert/));
});
