/** Each task, done over REST and by Playwright at the same browser, ends in the same state of the page. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { type Step, type Task, tasks } from "./fixture/tasks.ts";

let running: TestService;
let profile: string;
let browser: Browser;
let page: Page;
let html = "";
const site = createServer((_request, response) => {
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(html);
});
const fileName = "note.txt";
const file = () => join(running.dataDir, "uploads", fileName);

before(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  running = await startTestService();
  await mkdir(join(running.dataDir, "uploads"), { recursive: true });
  await writeFile(file(), "twelve bytes");
  const [id] = await createProfiles(running.client, 1);
  profile = `/v1/profiles/${id}/`;
  const { cdpUrl } = await ask<{ cdpUrl: string }>("launch", { headless: true });
  browser = await chromium.connectOverCDP(cdpUrl);
  page = browser.contexts()[0]?.pages()[0] as Page;
});
after(async () => {
  await browser.close();
  await running.stop();
  site.close();
});

async function ask<Reply>(verb: string, body: Record<string, unknown> = {}): Promise<Reply> {
  const reply = await running.client.post(profile + verb, body);
  assert.equal(reply.status, 200, `${verb} ${JSON.stringify(body)}: ${JSON.stringify(reply.body)}`);
  return reply.body as Reply;
}

const htmlOf = ({ page: html }: Task) =>
  `<!doctype html><title>Task</title><link rel="icon" href="data:,"><script>noted = []; note = (...words) => noted.push(words.join(" "));</script><body>${html}`;

/** After one more frame: some events of a closed dialog and of a drop come with it. */
const state = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve({ noted, hash: location.hash, text: document.body.innerText,
  focus: document.activeElement?.id, fields: [...document.querySelectorAll("input,textarea,select")].map((one) =>
    [one.id, one.type === "file" ? one.files.length : one.value, one.checked, [...one.selectedOptions ?? []].map(({ value }) => value)]) }))))`;

async function byRest(step: Step): Promise<unknown> {
  const node = async (selector: unknown) =>
    (await ask<{ node_id: number }>("wait-for-element", { selector, timeout_ms: 5000 })).node_id;
  const on = async () => ({ node_id: await node(step[1]) });
  switch (step[0]) {
    case "click":
      return ask("click", await on());
    case "double":
      return ask("click", { ...(await on()), count: 2 });
    case "right":
      return ask("click", { ...(await on()), button: "right" });
    case "click with":
      return ask("click", { ...(await on()), modifiers: [step[2]] });
    case "click at":
      return ask("click", { ...(await on()), position: { x: step[2], y: step[3] } });
    case "hover":
      return ask("hover", await on());
    case "view":
      return ask("scroll", { ...(await on()), into_view: true });
    case "add":
      return ask("type", { ...(await on()), text: step[2] });
    case "replace":
      return ask("type", { ...(await on()), text: step[2], clear: true });
    case "press":
      return ask("press-key", {
        key: step[1],
        ...(step[2] === undefined ? {} : { node_id: await node(step[2]) }),
      });
    case "select":
      return ask("select", { ...(await on()), values: step.slice(2) });
    case "check":
    case "uncheck":
      return ask("check", { ...(await on()), checked: step[0] === "check" });
    case "drag":
      return ask("drag", { from_node_id: await node(step[1]), to_node_id: await node(step[2]) });
    case "file":
      return ask("set-file", { ...(await on()), path: fileName });
    case "answer":
      return ask("dialog", { accept: step[1], ...(step[2] === undefined ? {} : { text: step[2] }) });
    case "wait":
      return ask("wait-for", { selector: step[1] });
    case "wait gone":
      return ask("wait-for", { selector: step[1], state: "detached" });
    default:
      return ask(step[0]);
  }
}

async function byPlaywright(step: Step): Promise<unknown> {
  const at = async (selector: string): Promise<Locator> => {
    for (const frame of page.frames())
      if ((await frame.locator(selector).count()) > 0) return frame.locator(selector);
    return page.locator(selector);
  };
  const target = await at(typeof step[1] === "string" && step[0] !== "press" ? step[1] : "body");
  switch (step[0]) {
    case "click":
      return target.click();
    case "double":
      return target.dblclick();
    case "right":
      return target.click({ button: "right" });
    case "click with":
      return target.click({ modifiers: [step[2]] });
    case "click at":
      return target.click({ position: { x: step[2], y: step[3] } });
    case "hover":
      return target.hover();
    case "view":
      return target.scrollIntoViewIfNeeded();
    case "add":
      await target.press("Control+End");
      return target.pressSequentially(step[2]);
    case "replace":
      return target.fill(step[2]);
    case "press":
      return step[2] === undefined ? page.keyboard.press(step[1]) : (await at(step[2])).press(step[1]);
    case "select":
      return target.selectOption(step.slice(2) as string[]);
    case "check":
      return target.check();
    case "uncheck":
      return target.uncheck();
    case "drag":
      return target.dragTo(await at(step[2]));
    case "file":
      return target.setInputFiles(file());
    case "answer":
      return page.once("dialog", (dialog) => void (step[1] ? dialog.accept(step[2]) : dialog.dismiss()));
    case "wait":
      return target.waitFor();
    case "wait gone":
      return target.waitFor({ state: "detached" });
    case "back":
      return page.goBack();
    case "forward":
      return page.goForward();
    case "reload":
      return page.reload();
  }
}

async function stateAfter(task: Task, act: (step: Step) => Promise<unknown>): Promise<unknown> {
  await page.goto("about:blank");
  html = htmlOf(task);
  await ask("navigate", { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/` });
  for (const step of task.steps) await act(step);
  return (await ask<{ result: unknown }>("evaluate", { expression: state })).result;
}

for (const [name, task] of Object.entries(tasks))
  test(name, async () => {
    const untouched = await stateAfter({ ...task, steps: [] }, byRest);
    const ours = await stateAfter(task, byRest);
    assert.deepEqual(ours, await stateAfter(task, byPlaywright));
    if (!name.startsWith("a reload")) assert.notDeepEqual(ours, untouched, "the task does nothing");
  });
