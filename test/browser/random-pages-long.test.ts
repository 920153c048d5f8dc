/** Random pages with one target each, clicked by its id: the page's own record says that it was hit, or the verb refuses where Playwright fails too. RANDOM_PAGES and RANDOM_SEED widen and repeat it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { createRandom } from "../seeded-random.ts";
import { profileOnSite } from "./fixture/on-site.ts";
import { randomPage } from "./fixture/random-page.ts";

const count = Number(process.env.RANDOM_PAGES ?? 60);
const first = Number(process.env.RANDOM_SEED ?? 1);
const refusedAtMost = Math.max(1, count * 0.02);

const { on, value } = profileOnSite();

const show = (seed: number) => {
  const { html, made } = randomPage(createRandom(seed));
  const url = `data:text/html;charset=utf-8,${encodeURIComponent(`<!doctype html><title>${seed}</title><body>${html}`)}`;
  return { made, opened: on.page.navigate({ url }) };
};

/** Posted messages arrive in order, so a message after the click arrives after its records. */
const clicks = async () =>
  (await value(
    "new Promise((resolve) => setTimeout(() => setTimeout(() => resolve(clicks)), 30))",
  )) as string[];

/** The id of the target's line in the snapshot. What is not rendered yet is scrolled to, as the snapshot says. */
async function targetId(): Promise<number | undefined> {
  for (let looked = 0; looked < 4; looked++) {
    const lines = (await on.page.snapshot({})).snapshot.split("\n");
    const line = lines.find((one) => one.includes('"Target"'));
    const id = /\[id=(\d+)\]/.exec(line ?? lines.find((one) => one.endsWith(" unrendered")) ?? "")?.[1];
    if (line !== undefined || id === undefined) return id === undefined ? undefined : Number(id);
    await on.page.scroll({ node_id: Number(id), into_view: true });
  }
}

/** Why the verb refused, or undefined when it said that it clicked. */
async function clickByVerb(): Promise<string | undefined> {
  try {
    const id = await targetId();
    if (id === undefined) return "not in the snapshot";
    await on.page.click({ node_id: id });
  } catch (error) {
    return (error as Error).message;
  }
}

async function clickByPlaywright(page: Page): Promise<boolean> {
  for (const frame of page.frames()) {
    const target = frame.locator("[data-target]");
    if ((await target.count()) === 0) continue;
    return target.click({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
  }
  return false;
}

test(`${count} random pages: no wrong hit, no false 200, few refusals where Playwright clicks`, async (t) => {
  const client = await chromium.connectOverCDP(on.cdpUrl);
  const page = client.contexts()[0]?.pages()[0] as Page;
  const wrong: string[] = [];
  const refused: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const { made, opened } = show(seed);
    await opened;
    const reason = await clickByVerb();
    const seen = await clicks();
    const text = `seed ${seed}, ${made.join(" > ")}: ${reason ?? "200"}; page saw ${seen.join(" ") || "nothing"}`;
    if (reason === undefined ? !seen.includes("hit") : seen.length > 0) wrong.push(text);
    if (reason === undefined) continue;
    await show(seed).opened;
    if ((await clickByPlaywright(page)) && (await clicks()).includes("hit")) refused.push(text);
    else t.diagnostic(`refused by both: ${text}`);
  }
  await client.close();
  assert.deepEqual(wrong, []);
  t.diagnostic(`${refused.length} refused where Playwright clicks\n${refused.join("\n")}`);
  assert.ok(refused.length <= refusedAtMost, refused.join("\n"));
});
