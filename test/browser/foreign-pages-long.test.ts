/** Pages of npm packages: snapshots, clicks and typing. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type FolderSite, packageFolder, serveFolder } from "./fixture/folder-site.ts";
import { createTestProfile, makeDir, removeDir, type TestProfile } from "./fixture/profile.ts";

let dir: string;
let profile: TestProfile;
const sites: FolderSite[] = [];

before(async () => {
  dir = await makeDir();
  profile = createTestProfile(dir);
  await profile.open();
});
after(async () => {
  await profile.control.stop({});
  for (const site of sites) await site.close();
  await removeDir(dir);
});

async function visit(name: string, path: string, extra: Record<string, object> = {}): Promise<FolderSite> {
  const site = await serveFolder(packageFolder(name), extra);
  sites.push(site);
  await profile.page.navigate({ url: site.origin + path });
  return site;
}

const appears = (selector: string) => profile.page.waitForElement({ selector, timeout_ms: 10_000 });

/** The page's snapshot, in which every line must have a known form and every id must be unique. */
async function textOf(options: Parameters<TestProfile["page"]["snapshot"]>[0] = {}): Promise<string> {
  const { snapshot } = await profile.page.snapshot(options);
  const lines = snapshot.split("\n").slice(1);
  assert.ok(lines.length > 3, snapshot);
  for (const line of lines) assert.match(line, /^ *[a-z]+( |$)/, line);
  const ids = [...snapshot.matchAll(/^ *(?!text )\S+(?: "(?:[^"\\]|\\.)*")? \[id=(\d+)\]/gm)].map(
    (match) => match[1],
  );
  assert.equal(new Set(ids).size, ids.length, snapshot);
  return snapshot;
}

function idIn(snapshot: string, line: RegExp): number {
  const found = snapshot.split("\n").find((text) => line.test(text));
  const id = /\[id=(\d+)\]/.exec(found ?? "")?.[1];
  assert.ok(id, `${line} in\n${snapshot}`);
  return Number(id);
}

test("a slide deck (reveal.js): click, key and link change its slides", async () => {
  await visit("reveal.js", "/demo.html");
  await appears("button.navigate-right.enabled");
  const first = await textOf();
  assert.match(first, /link "Hakim El Hattab" \[id=\d+\] url=http:\/\/hakim\.se\//);
  await profile.page.click({ node_id: idIn(first, /button "next slide"/) });
  const second = await textOf();
  assert.match(second, /heading "PREVIEW OVERLAYS" \[id=\d+\] level=2/);
  await profile.page.pressKey({ key: "ArrowRight" });
  assert.match(await textOf(), /heading "HELLO THERE"/);
  const { result } = await profile.page.evaluate({ expression: "Reveal.slide(4), Reveal.getIndices().h" });
  assert.equal(result, 4);
  const scoped = await textOf({ selector: "section.present" });
  assert.ok(scoped.length < (await textOf()).length);
});

test("an API browser (Swagger UI): an address is typed, and its operations are opened and tried", async () => {
  const spec = {
    openapi: "3.0.0",
    info: { title: "Pets", version: "1" },
    paths: {
      "/pets/{name}": {
        get: {
          summary: "One pet",
          parameters: [{ name: "name", in: "path", required: true, schema: { type: "string" } }],
          responses: { 200: { description: "The pet" } },
        },
      },
    },
  };
  const { origin } = await visit("swagger-ui-dist", "/index.html", { "/pets.json": spec, "/pets/Rex": spec });
  const field = (await appears(".download-url-input")).node_id;
  await profile.page.evaluate({ expression: "document.querySelector('.download-url-input').select()" });
  await profile.page.type({ node_id: field, text: `${origin}/pets.json` });
  const typed = await textOf();
  assert.match(typed, /textbox .*value="http:\/\/127.0.0.1:\d+\/pets\.json"/);
  await profile.page.click({ node_id: idIn(typed, /button "Explore"/) });
  await appears(".opblock-summary-control");
  const explored = await textOf();
  assert.match(explored, /heading "Pets/);
  await profile.page.click({ node_id: idIn(explored, /button ".*pets.*" .*collapsed/) });
  await profile.page.click({ node_id: (await appears(".try-out__btn")).node_id });
  const name = (await appears(".parameters input:not([disabled])")).node_id;
  await profile.page.type({ node_id: name, text: "Rex" });
  const ready = await textOf({ interactive: true });
  assert.match(ready, /textbox "name" \[id=\d+\] value="Rex"/);
  await profile.page.click({ node_id: idIn(ready, /button "Execute"/) });
  await appears(".live-responses-table");
  assert.match(await textOf(), /pets\/Rex/);
});

test("a demonstration of an editor (CodeMirror): text is typed, and a link leaves it", async () => {
  const { origin } = await visit("codemirror", "/mode/rpm/changes/index.html");
  const page = await textOf();
  await profile.page.type({ node_id: idIn(page, /^ *textbox/), text: "Wörds of ours " });
  const { result } = await profile.page.evaluate({ expression: "editor.getValue()" });
  assert.match(String(result), /^Wörds of ours -----/);
  assert.match(await textOf(), /Wörds of ours/);
  const left = await profile.page.click({ node_id: idIn(page, /link "Manual"/) });
  assert.equal(left.url, `${origin}/doc/manual.html`);
});

test("an application (Playwright's dashboard): its settings open and close", async () => {
  await visit("playwright-core", "/lib/vite/dashboard/index.html");
  await appears("main button");
  const before = await textOf();
  assert.match(before, /main "Dashboard"/);
  assert.match(before, /button "Back" \[id=\d+\] disabled$/m);
  await profile.page.click({ node_id: idIn(before, /button "Settings"/) });
  const opened = await textOf();
  assert.notEqual(opened, before);
  assert.equal(idIn(opened, /button "Settings"/), idIn(before, /button "Settings"/));
});
