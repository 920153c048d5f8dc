/** The verb text: what a person reads, as Markdown and as plain text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();
const markdown = async (query = {}) => (await page.verbs.text(query)).text;
const plain = async (query = {}) => (await page.verbs.text({ format: "text", ...query })).text;

const article = `<h1>Bread &amp; <em>butter</em></h1><p>Fresh <a href="https://shop.example/a?b=1">every *day*</a>,
  <strong>warm</strong>.</p><ol start="3"><li>Flour<li>Water</ol><pre>a  &lt;b&gt;
c</pre><table><tr><th>Kind<th>Price<tr><td>Rye<td>3</table><blockquote>Good.</blockquote><img alt="A loaf" src="http://127.0.0.1:1/loaf.png">`;

test("a page is Markdown: headings, links, lists, code, tables and pictures", async () => {
  await page.show(article);
  assert.equal(
    await markdown(),
    [
      "# Bread & _butter_",
      "Fresh [every \\*day\\*](https://shop.example/a?b=1), **warm**.",
      "3.  Flour\n4.  Water",
      "```\na  <b>\nc\n```",
      "| Kind | Price |\n| --- | --- |\n| Rye | 3   |",
      "> Good.",
      "![A loaf](http://127.0.0.1:1/loaf.png)",
    ].join("\n\n"),
  );
});

test("plain text has the words alone, and tabs between cells", async () => {
  await page.show(article);
  assert.equal(
    await plain(),
    [
      "Bread & butter",
      "Fresh every *day*, warm.",
      "3.  Flour\n4.  Water",
      "a  <b>\nc",
      "Kind\tPrice\nRye\t3",
      "Good.",
    ].join("\n\n"),
  );
});

test("what is not shown is not read, nor a password; what fields show is", async () => {
  await page.show(`<p style="display:none">none</p><p style="visibility:hidden">hidden <b style="visibility:visible">but this</b></p>
    <p style="opacity:0">clear</p><span style="position:absolute;width:1px;height:1px;overflow:hidden">for readers</span>
    <script>1</script><style>p{}</style><noscript>no script</noscript><template>template</template><details><summary>More</summary>closed</details>
    <input value="typed"><input type="password" value="secret"><input placeholder="Your name"><select><option>One<option selected>Two</select>
    <textarea>area</textarea><button>Press</button>`);
  const text = (await plain()).replace(/\s+/g, " ");
  assert.equal(text, "but this More typed Your name Two area Press");
});

test("frames, open shadow roots with their slots, and contents without a box are read in place", async () => {
  await page.show(`<p>before</p><iframe srcdoc="<p>in the frame</p><iframe srcdoc='<p>deeper</p>'></iframe>"></iframe><p>after</p>
    <div id="h"><span slot="s">slotted</span></div><div style="display:contents"><p>without a box</p></div>
    <iframe style="display:none" srcdoc="<p>hidden frame</p>"></iframe>
    <script>h.attachShadow({ mode: "open" }).innerHTML = "<p>shadow <slot name=s></slot></p>";</script>`);
  await page.verbs.waitFor({ text: "deeper" });
  assert.deepEqual((await plain()).split(/\n+/), [
    "before",
    "in the frame",
    "deeper",
    "after",
    "shadow slotted",
    "without a box",
  ]);
});

test("the text of pictures is read, in a page and as a document of its own", async () => {
  const chart = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60"><title>Chart</title><g><text y="15">Rye</text><text y="35">Oats <tspan>7</tspan></text></g></svg>`;
  await page.show(`<p>Sold</p>${chart}`);
  assert.equal(await plain(), "Sold\n\nRye Oats 7");
  await page.verbs.navigate({ url: `data:image/svg+xml,${encodeURIComponent(chart)}` });
  assert.equal(await plain(), "Rye Oats 7");
});

test("cells beside one over several rows or columns stay in their columns", async () => {
  await page.show(
    `<table><tr><th>Kind<th>Size<th>Price<tr><td rowspan="2">Rye<td>1<td>3<tr><td>2<td>5<tr><td colspan="2">All<td>8</table>`,
  );
  assert.deepEqual((await plain()).split("\n"), ["Kind\tSize\tPrice", "Rye\t1\t3", "\t2\t5", "All\t\t8"]);
  assert.match(await markdown(), /\|\s+\| 2\s+\| 5\s+\|/);
});

test("soft hyphens are neither read nor needed", async () => {
  await page.show("<p>Donau&shy;dampf&shy;schiff</p>");
  assert.equal(await plain(), "Donaudampfschiff");
  await page.verbs.waitFor({ text: "donaudampfschiff", timeout_ms: 0 });
});

test("node_id reads one element, and max_chars cuts at a line and says so", async () => {
  await page.show(`<main><h2 id="t">Title</h2><ul id="l"><li>One<li>Two<li>Three</ul></main>`);
  assert.equal(await markdown({ node_id: await page.find("#l") }), "-   One\n-   Two\n-   Three");
  const cut = await markdown({ max_chars: 20 });
  assert.match(
    cut,
    /^## Title\n\n-\s+One\n… cut after 3 of 5 lines \(max_chars 20\); ask for a part by node_id$/,
  );
  const node_id = await page.find("#t");
  await page.value("void t.remove()");
  await assert.rejects(page.verbs.text({ node_id }), conflict(/is gone/));
});
