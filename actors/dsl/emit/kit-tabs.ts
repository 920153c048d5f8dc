/** Functions of compiled code about tabs; the libraries differ only in how they list them. */
import type { KitTable } from "./kit-function.ts";

/** `pages`: the expression for the tabs of `page`'s context. */
export const tabKit = (pages: string): KitTable => ({
  tabWhere: {
    types: ["Page"],
    uses: ["until"],
    text: `/** Waits for the first tab that fits. */
async function tabWhere(page: Page, timeoutMs: number, fits: (tab: Page, index: number) => Promise<boolean>): Promise<Page> {
  let found: Page | undefined;
  await until("a tab", timeoutMs, async () => {
    for (const [index, tab] of ${pages}.entries())
      if (await fits(tab, index).catch(() => false)) {
        found = tab;
        return true;
      }
    return false;
  });
  if (found === undefined) throw new Error("there is no such tab");
  await found.bringToFront();
  return found;
}`,
  },
  closeTab: {
    types: ["Page"],
    text: `/** Closes a tab. Returns the last remaining one. */
async function closeTab(page: Page): Promise<Page> {
  const left = ${pages}.filter((tab) => tab !== page).at(-1);
  if (left === undefined) throw new Error("this is the last tab; the profile's browser stays open");
  await page.close();
  await left.bringToFront();
  return left;
}`,
  },
});
