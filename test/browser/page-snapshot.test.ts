/** Snapshots reduced by query, a page's own title, files for inputs, and a load that does not end. */
import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { navigate } from "../../actors/profile/page/navigate.ts";
import { conflict } from "../conflict.ts";
import { browserOnSite } from "./fixture/on-site.ts";

const { on, visit, find } = browserOnSite();

const show = (body: string) =>
  on.page.navigate({
    url: `data:text/html,${encodeURIComponent(`<!doctype html><title>Shown</title>${body}`)}`,
  });
const bare = (snapshot: string) =>
  snapshot
    .replaceAll(/ ?\[id=\d+\]/g, "")
    .split("\n")
    .slice(1);

test("a snapshot by selector shows the first match, with the ids of the whole one", async () => {
  await visit("/");
  const whole = await on.page.snapshot({});
  const part = await on.page.snapshot({ selector: "select" });
  assert.deepEqual(bare(part.snapshot), [
    'combobox "Colour" value="green" collapsed',
    '  option "red"',
    '  option "green" selected',
  ]);
  for (const line of part.snapshot.split("\n")) assert.ok(whole.snapshot.includes(line.trim()), line);
});

test("a snapshot by selector finds elements in frames and shadow roots, and includes frames and shadow roots in them", async () => {
  await visit("/frames");
  const framed = bare((await on.page.snapshot({ selector: "iframe[title=far]" })).snapshot);
  assert.equal(framed[0], 'iframe "far"');
  assert.ok(
    framed.includes("  paragraph: Nested words") && framed.includes('    button "Inner button"'),
    framed.join(),
  );
  assert.equal(framed.filter((line) => line.includes("Inner button")).length, 1);
  assert.deepEqual(bare((await on.page.snapshot({ selector: "#field" })).snapshot), [
    'textbox "Inner field"',
  ]);
  await visit("/shadow");
  assert.deepEqual(bare((await on.page.snapshot({ selector: "#deep" })).snapshot), ['button "Deep"']);
});

test("a selector without a match is a conflict, and one that is not CSS is invalid", async () => {
  await visit("/");
  await assert.rejects(on.page.snapshot({ selector: "#absent" }), conflict(/nothing matches "#absent"/));
  await assert.rejects(on.page.snapshot({ selector: "##" }), { kind: "invalid", message: /not valid CSS/ });
});

test("interactive, depth and max_chars reduce a snapshot", async () => {
  await visit("/");
  const interactive = bare((await on.page.snapshot({ interactive: true })).snapshot);
  assert.deepEqual(interactive.slice(0, 3), [
    'heading "Welcome" level=1',
    `link "a link" url=${on.site.origin}/next`,
    'checkbox "I agree" checked',
  ]);
  const shallow = bare((await on.page.snapshot({ depth: 1 })).snapshot);
  assert.ok(shallow.includes("paragraph … 3 more below"), shallow.join("\n"));
  const { snapshot } = await on.page.snapshot({ max_chars: 120 });
  assert.match(snapshot, /\n… cut after \d of 15 lines/);
});

test("the title is the document's own, or empty", async () => {
  assert.deepEqual(await visit("/untitled"), { url: `${on.site.origin}/untitled`, title: "" });
  assert.equal((await on.page.click({ node_id: await find("button") })).title, "Titled");
  assert.equal((await on.page.navigate({ url: "data:text/html,<p>words" })).title, "");
  assert.equal(
    (await on.page.navigate({ url: "data:text/html,<title>v1.2: x/y</title>" })).title,
    "v1.2: x/y",
  );
  assert.equal((await on.page.navigate({ url: "about:blank" })).title, "");
});

test("only a name that comes from content replaces content", async () => {
  await show(`<div role=group aria-label="Quantity, 1 to 10"><button>-</button> 1 <button>+</button></div>
    <section aria-label="Order 2024-05">Total: <b>20</b></section>
    <fieldset><legend>Page 10 of 20</legend>2</fieldset>
    <article aria-label="Not available yet">available</article>
    <button aria-label="Delete row 5">5</button><button><img alt="Disk"> Save <b>3</b> files</button>
    <a href="https://site.example/" aria-label="Room 12">12</a><div role=textbox contenteditable aria-label="Room">Ro</div>
    <div role=textbox contenteditable aria-label="Notes">edit <b>bold</b><ul><li>one<li>two</ul></div>
    <input aria-label="Age" value="7">`);
  assert.deepEqual(bare((await on.page.snapshot({})).snapshot), [
    'group "Quantity, 1 to 10"',
    '  button "-"',
    '  text "1"',
    '  button "+"',
    'region "Order 2024-05": Total: 20',
    'group "Page 10 of 20"',
    "  legend: Page 10 of 20",
    '  text "2"',
    'article "Not available yet": available',
    'button "Delete row 5": 5',
    'button "Disk Save 3 files"',
    '  image "Disk"',
    'link "Room 12" url=https://site.example/: 12',
    'textbox "Room" value="Ro"',
    'textbox "Notes"',
    '  text "edit bold"',
    "  list",
    "    listitem: one",
    "    listitem: two",
    'textbox "Age" value="7"',
  ]);
});

test("the browser's own roles show by usual names, and tables that only arrange content show it alone", async () => {
  await show(`<table aria-label="Room 101"><tr><td>x</td></tr></table><table><tr><td>a <b>b</b><td>c</table>
    <abbr title="Very important">VIP</abbr><dl><dt>Term</dt><dd>Meaning</dd></dl><ruby>a<rt>b</rt></ruby>
    <math><mi>x</mi><mo>=</mo></math><iframe srcdoc="in" role=presentation></iframe><object data="x" aria-label="Thing"></object>
    <details name=one><summary>More</summary></details><canvas aria-label="Chart"></canvas>
    <input type=date aria-label="Day"><input type=color aria-label="Paint"><input type=time aria-label="Hour">
    <input type=week aria-label="Week"><video controls></video>`);
  const { snapshot } = await on.page.snapshot({});
  const roles = bare(snapshot).map((line) => line.trim().split(/[ :]/)[0]);
  const known =
    /^(abbreviation|button|canvas|color|date|datetime|definition|group|iframe|list|math|object|slider|spinbutton|summary|table|term|text|time|video)$/;
  assert.deepEqual(
    roles.filter((role) => !known.test(role ?? "")),
    [],
    snapshot,
  );
  assert.deepEqual(bare(snapshot).slice(0, 3), ['table "Room 101": x', 'text "a b"', 'text "c"']);
});

test("set-file gives an input a file of the uploads folder, and the page gets the event", async () => {
  await mkdir(join(on.dir, "uploads", "deep"), { recursive: true });
  await writeFile(join(on.dir, "uploads", "deep", "a b.txt"), "contents");
  await writeFile(join(on.dir, "secret.txt"), "secret");
  await symlink(join(on.dir, "secret.txt"), join(on.dir, "uploads", "way out"));
  await symlink(join(on.dir, "uploads", "deep"), join(on.dir, "uploads", "way in"));
  await visit("/file");
  const node_id = await find("#file");
  await on.page.setFile({ node_id, path: "deep/../way in/a b.txt" });
  const said = "new Promise((done) => setInterval(() => said.textContent && done(said.textContent), 5))";
  assert.equal((await on.page.evaluate({ expression: said })).result, "a b.txt contents");

  const invalid = (message: RegExp) => ({ name: "Fault", kind: "invalid", message });
  for (const path of [
    "way out",
    "../secret.txt",
    join(on.dir, "secret.txt"),
    "deep/../../secret.txt",
    "..",
  ]) {
    await assert.rejects(
      on.page.setFile({ node_id, path }),
      invalid(/lies outside the uploads folder/),
      path,
    );
  }
  await assert.rejects(
    on.page.setFile({ node_id, path: "none.txt" }),
    invalid(/"none.txt": there is no such file .*troupe uploads/),
  );
  await assert.rejects(on.page.setFile({ node_id, path: "deep" }), invalid(/"deep" is not a file/));
  const path = "deep/a b.txt";
  await assert.rejects(
    on.page.setFile({ node_id: await find("#text"), path }),
    conflict(/is not a file input/),
  );
  await assert.rejects(on.page.setFile({ node_id: await find("#off"), path }), conflict(/is disabled/));
  await assert.rejects(on.page.setFile({ node_id: await find("#folder"), path }), conflict(/takes a folder/));
  await writeFile(join(on.dir, "uploads", "other.txt"), "more");
  await on.page.setFile({ node_id: await find("#named"), path: "other.txt" });
  const name = "document.querySelector('#file').files[0].name";
  assert.equal((await on.page.evaluate({ expression: name })).result, "other.txt");
});

test("a page that never loads fails at the deadline with the state it reached", async () => {
  await visit("/");
  const tab = await on.browser.tabs.current();
  const within = (path: string) => navigate(on.browser.tabs, tab, on.site.origin + path, { timeoutMs: 400 });
  const where = (path: string, state: string) =>
    conflict(new RegExp(`within 400 ms; reached: ${on.site.origin}${path}, readyState ${state}`));
  await assert.rejects(within("/half"), where("/half", "interactive"));
  assert.match((await on.page.snapshot({})).snapshot, /paragraph \[id=\d+\]: There/);
  await assert.rejects(within("/unfinished"), where("/unfinished", "loading"));
  await assert.rejects(within("/never"), conflict(/got no document within 400 ms; nothing was reached/));
  assert.equal((await visit("/next")).title, "Next");
});
