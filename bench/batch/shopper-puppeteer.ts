/**
 * The demo's script with Puppeteer: log in, search, fill the cart, read the total. Saved in Troupe and called by puppeteer-cluster's
 * tasks, so that both do the same work.
 */
import type { ScriptContext } from "@troupe/script";
import type { Page } from "puppeteer-core";

type Context = Pick<ScriptContext<Page>, "page" | "profile" | "variables" | "log" | "scratchDir">;

interface Wanted {
  search: string;
  quantity: number;
}

async function press(page: Page, selector: string) {
  await Promise.all([page.waitForNavigation(), page.locator(selector).click()]);
}

async function logIn(page: Page, shopUrl: string, user: string, password: string) {
  await page.goto(`${shopUrl}/login`);
  await page.locator("::-p-aria(User)").fill(user);
  await page.locator("::-p-aria(Password)").fill(password);
  await press(page, '::-p-aria([name="Log in"][role="button"])');
  const refusal = await page.$("[role=alert]");
  if (refusal !== null) throw new Error(`${user} could not log in`);
}

async function buy(page: Page, wanted: Wanted) {
  await page.locator("::-p-aria([name='Search'][role='searchbox'])").fill(wanted.search);
  await press(page, '::-p-aria([name="Search"][role="button"])');
  await press(page, "a.product");
  await page.select("select", String(wanted.quantity));
  await press(page, '::-p-aria([name="Add to cart"][role="button"])');
  await page.locator("#total").wait();
}

export default async function run({ page, profile, variables, log, scratchDir }: Context) {
  const number = profile.name.split(" ").at(-1);
  const user = variables[`user_${number}`] ?? "";
  const list: Wanted[] = JSON.parse(variables[`list_${number}`] ?? "[]");
  log.info(`logging in as ${user}`);
  await logIn(page, variables.shopUrl ?? "", user, variables[`password_${number}`] ?? "");
  for (const wanted of list) {
    log.info(`buying ${wanted.quantity} × ${wanted.search}`);
    await buy(page, wanted);
  }
  await page.screenshot({ path: `${scratchDir}/cart.png` });
  const device = await page.evaluate(variables.deviceExpression ?? "null");
  const text = (selector: string) => page.$eval(selector, (element) => element.textContent);
  return {
    device,
    user: await text("#user"),
    items: Number(await text("#items")),
    totalCents: Number(await page.$eval("#total", (element) => element.getAttribute("data-cents"))),
    total: await text("#total"),
  };
}
