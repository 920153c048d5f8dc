/** The page Running: each open profile's picture and load, live, and stopping it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createLoadReader } from "../../actors/kernel/process-load.ts";
import { createProfiles } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";

let control: ControlPage;
let page: Page;
let ids: string[];
before(async () => {
  control = await openControlPage();
  ({ page } = control);
  page.setDefaultTimeout(30_000);
  ids = await createProfiles(control.running.client, 2);
});
after(() => control.close());

const picture = (name: string) => page.getByAltText(`Screenshot of ${name}`);
const colour = (css: string) => ({
  url: `data:text/html,<body style="background:${css};font:80px sans-serif">${css}`,
});
const verbs = (index: number) => control.running.service.actors.page(ids[index] ?? "");

/** The colour at the bottom centre of a thumbnail. Text, as tests have no DOM types. */
const lookAt = `(image) => {
  const { naturalWidth: width, naturalHeight: height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const [red, green, blue] = context.getImageData(width / 2, height - 9, 1, 1).data;
  if (red > 200 && green < 80) return "red";
  return blue > 200 && red < 80 ? "blue" : [red, green, blue].join(" ");
}`;

async function waitSeen(name: string, wanted: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  let last = "";
  while (Date.now() < deadline) {
    last = String(
      await page
        .evaluate(`(${lookAt})(document.querySelector('img[alt="Screenshot of ${name}"]'))`)
        .catch(String),
    );
    if (last === wanted) return;
    await page.waitForTimeout(100); // The next picture is a second away.
  }
  assert.fail(`${name} shows ${last}, not ${wanted}`);
}

test("the page says when no profile runs", async () => {
  await page.goto(`${control.base}#/running`);
  await page.getByText("No profile is open").waitFor();
});

test("an opened profile appears by itself, with a picture that follows its page", async () => {
  for (const id of ids) {
    const { status } = await control.running.client.post(`/v1/profiles/${id}/launch`, {
      idle_timeout_secs: 0,
    });
    assert.equal(status, 200);
  }
  await (await verbs(0)).navigate(colour("red"));
  await (await verbs(1)).navigate(colour("blue"));
  await waitSeen("Profile 1", "red");
  await waitSeen("Profile 2", "blue");
  await (await verbs(0)).navigate(colour("blue"));
  await waitSeen("Profile 1", "blue");
  await control.shoot("running");
  await control.checkAccess();
});

test("its load is that of its process tree, and null without /proc", async () => {
  assert.equal(await createLoadReader("/nowhere")([1]), null);
  if (process.platform !== "linux") return;
  await page
    .locator("[data-load]", { hasText: /\d+ % CPU · \d+ MB/ })
    .first()
    .waitFor();
  const live = await control.running.service.actors.pool.live({});
  const leaders = live.flatMap(({ pid }) => pid ?? []);
  assert.equal(leaders.length, 2);
  const read = createLoadReader();
  const loads = await read(leaders);
  for (const leader of leaders) {
    const load = loads?.get(leader);
    assert.ok(load !== undefined && load.processes >= 3, "browser, zygote, renderer");
    assert.ok(
      load.memoryBytes > 20 * 1024 ** 2 && load.memoryBytes < 4 * 1024 ** 3,
      `${load.memoryBytes} bytes`,
    );
    assert.equal(load.cpuPercent, null, "the first reading has no earlier one to compare with");
  }
  await (await verbs(0)).evaluate({ expression: "const end = Date.now() + 1500; while (Date.now() < end);" });
  const [busy, quiet] = [(await read(leaders))?.get(leaders[0] ?? 0), (await read([])) ?? null];
  assert.ok((busy?.cpuPercent ?? 0) > 5, `${busy?.cpuPercent} % of a core while a page is busy`);
  assert.equal(quiet?.size, 0);
});

test("a page in constant motion gives about one picture a second", async () => {
  const moving = "setInterval(() => { n.textContent = performance.now() }, 20)";
  const tab = await verbs(0);
  await tab.navigate({ url: `data:text/html,<p id=n>0</p><script>${moving}</script>` });
  await page.goto(`${control.base}#/settings`); // No other page requests pictures from now on.
  const seen: { number: number; at: number }[] = [];
  for (let after = 0; seen.length < 8; ) {
    const { picture } = await tab.picture({ after });
    if (picture === null) continue;
    after = picture.number;
    seen.push({ number: after, at: performance.now() });
  }
  await page.goto(`${control.base}#/running`);
  // At most four come at once, two of each page; every later one waits a second.
  const [first, from, to] = [seen[0], seen[4], seen[7]];
  assert.ok(first !== undefined && from !== undefined && to !== undefined);
  assert.ok(to.at - first.at > 2_500, `eight pictures in ${to.at - first.at} ms`);
  const [pictures, elapsed] = [to.number - from.number, to.at - from.at];
  assert.ok(pictures / (elapsed / 1_000) < 2.5, `${pictures} pictures in ${elapsed} ms`);
});

test("stop ends the profile, and it disappears from the page by itself", async () => {
  await page.getByRole("button", { name: "Stop Profile 1" }).click();
  await picture("Profile 1").waitFor({ state: "detached" });
  // The page removes it when it begins to stop, the pool when its process has exited.
  const { pool } = control.running.service.actors;
  await until("one profile is left", async () => (await pool.live({})).length === 1);
  page.once("dialog", (dialog) => void dialog.accept());
  await control.running.client.post(`/v1/profiles/${ids[0]}/launch`);
  await page.getByRole("button", { name: "Stop all" }).click();
  await page.getByText("No profile is open").waitFor();
  assert.deepEqual(await control.running.service.actors.pool.live({}), []);
});

test("no page reports an error", () => assert.deepEqual(control.troubles, []));
