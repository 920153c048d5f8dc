/** Frames in other renderers, while the browser's view of them is out of date. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { processesNaming } from "./fixture/processes.ts";
import { createTestProfile, makeDir, removeDir, type TestProfile } from "./fixture/profile.ts";
import { openSite, type Site } from "./fixture/site.ts";

let dir: string;
let site: Site;
let profile: TestProfile;

before(async () => {
  dir = await makeDir();
  site = await openSite();
  profile = createTestProfile(dir);
  await profile.open();
});
after(async () => {
  await profile.control.stop({});
  await site.close();
  await removeDir(dir);
});

const visit = (path: string) => profile.page.navigate({ url: site.origin + path });
const shown = async () => (await profile.page.snapshot({})).snapshot;

async function drawingProcess(): Promise<number> {
  for (const pid of await processesNaming(profile.userDataDir)) {
    if ((await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("--type=gpu-process")) return pid;
  }
  throw new Error("there is no GPU process");
}

test("a frame keeps its content when a busy renderer reports its old document late", async () => {
  for (let round = 0; round < 6; round++) {
    await visit("/frames-busy");
    assert.match(await shown(), /iframe "back"[\s\S]*button "Inner button"/);
    await profile.page.navigate({ url: "about:blank" });
  }
});

test("a click on a frame that is not drawn yet waits for it, and does not press the page below", async () => {
  const drawing = await drawingProcess();
  const felt = new Promise<void>((resolve) => {
    site.onRequest = (path) => path === "/felt" && resolve();
  });
  process.kill(drawing, "SIGSTOP");
  try {
    await visit("/frames-felt");
    const node_id = Number((await shown()).match(/button "Inner button" \[id=(\d+)\]/)?.[1]);
    const clicked = profile.page.click({ node_id });
    await Promise.race([felt, clicked]); // The page below has received the mouse.
    process.kill(drawing, "SIGCONT");
    assert.equal((await clicked).title, "Felt");
  } finally {
    process.kill(drawing, "SIGCONT");
    site.onRequest = null;
  }
  assert.match(await shown(), /^Felt [\s\S]*button "pressed"/);
});

test("a click that never reaches its frame fails, and presses nothing", async () => {
  const drawing = await drawingProcess();
  process.kill(drawing, "SIGSTOP");
  try {
    await visit("/frames-felt");
    const node_id = Number((await shown()).match(/button "Inner button" \[id=(\d+)\]/)?.[1]);
    const message = new RegExp(`element ${node_id} did not receive the mouse`);
    await assert.rejects(profile.page.click({ node_id }), { kind: "conflict", message });
  } finally {
    process.kill(drawing, "SIGCONT");
  }
  assert.match(await shown(), /^Felt [\s\S]*button "Inner button"/);
});

test("an element in a frame is clicked beside frames of other renderers", async () => {
  await visit("/frames");
  const node_id = Number((await shown()).match(/iframe "far" \[id=(\d+)\]/)?.[1]);
  assert.equal((await profile.page.click({ node_id })).title, "Frames");
});
