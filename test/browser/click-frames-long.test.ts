/** Frames in other renderers, while the browser's view of them is out of date. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { profileOnSite } from "./fixture/on-site.ts";
import { processesNaming } from "./fixture/processes.ts";

const { on, visit } = profileOnSite();

const shown = async () => (await on.profile.page.snapshot({})).snapshot;

async function drawingProcess(): Promise<number> {
  for (const pid of await processesNaming(on.profile.userDataDir)) {
    if ((await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("--type=gpu-process")) return pid;
  }
  throw new Error("there is no GPU process");
}

test("a frame keeps its content when a busy renderer reports its old document late", async () => {
  for (let round = 0; round < 6; round++) {
    await visit("/frames-busy");
    assert.match(await shown(), /iframe "back"[\s\S]*button "Inner button"/);
    await on.profile.page.navigate({ url: "about:blank" });
  }
});

test("a click on a frame that is not drawn yet waits for it, and does not press the page below", async () => {
  const drawing = await drawingProcess();
  const felt = new Promise<void>((resolve) => {
    on.site.onRequest = (path) => path === "/felt" && resolve();
  });
  process.kill(drawing, "SIGSTOP");
  try {
    await visit("/frames-felt");
    const node_id = Number((await shown()).match(/button "Inner button" \[id=(\d+)\]/)?.[1]);
    const clicked = on.profile.page.click({ node_id });
    await Promise.race([felt, clicked]); // The page below has received the mouse.
    process.kill(drawing, "SIGCONT");
    assert.equal((await clicked).title, "Felt");
  } finally {
    process.kill(drawing, "SIGCONT");
    on.site.onRequest = null;
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
    await assert.rejects(on.profile.page.click({ node_id }), { kind: "conflict", message });
  } finally {
    process.kill(drawing, "SIGCONT");
  }
  assert.match(await shown(), /^Felt [\s\S]*button "Inner button"/);
});

test("an element in a frame is clicked beside frames of other renderers", async () => {
  await visit("/frames");
  const node_id = Number((await shown()).match(/iframe "far" \[id=(\d+)\]/)?.[1]);
  assert.equal((await on.profile.page.click({ node_id })).title, "Frames");
});
