/** The demo's Raw script, saved over the API: log in, search, fill the cart, read the total. */
import type { ScriptContext } from "@troupe/script";
import type { Page } from "playwright-core";

type Context = Pick<ScriptContext<Page>, "page" | "profile" | "variables" | "log" | "scratchDir">;

interface Wanted {
  search: string;
  quantity: number;
}

async function logIn(page: Page, shopUrl: string, user: string, password: string) {
  await page.goto(`${shopUrl}/login`);
  await page.getByLabel("User").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForLoadState();
  const refusal = page.getByRole("alert");
  if (await refusal.isVisible()) throw new Error(`${user} could not log in: ${await refusal.textContent()}`);
}

async function buy(page: Page, wanted: Wanted) {
  await page.getByLabel("Search").fill(wanted.search);
  await page.getByRole("button", { name: "Search" }).click();
  await page.locator("a.product").first().click();
  await page.getByLabel("Quantity").selectOption(String(wanted.quantity));
  await page.getByRole("button", { name: "Add to cart" }).click();
  await page.locator("#total").waitFor();
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
  const total = page.locator("#total");
  return {
    user: await page.locator("#user").textContent(),
    items: Number(await page.locator("#items").textContent()),
    totalCents: Number(await total.getAttribute("data-cents")),
    total: await total.textContent(),
  };
}
