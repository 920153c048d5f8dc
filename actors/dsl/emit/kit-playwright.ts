/** Functions of compiled code for Playwright. */
import type { KitTable } from "./kit-function.ts";
import { tabKit } from "./kit-tabs.ts";

export const playwrightKit: KitTable = {
  firstOf: {
    types: ["Locator"],
    text: `/** Waits for the first alternative that matches. */
async function firstOf(ways: Locator[], options: { timeout?: number } = {}): Promise<Locator> {
  const any = ways.reduce((all, way) => all.or(way));
  await any.first().waitFor({ state: "attached", ...options });
  for (const way of ways) if ((await way.count()) > 0) return way.first();
  return any.first();
}`,
  },
  present: {
    types: ["Locator"],
    text: `/** The first alternative that matches now, or else the first one. */
async function present(ways: Locator[]): Promise<Locator> {
  for (const way of ways) if ((await way.count()) > 0) return way.first();
  return ways.reduce((first) => first).first();
}`,
  },
  partOf: {
    text: `/** A pattern for a text, with any white space. */
function partOf(text: string): RegExp {
  return new RegExp(text.trim().replaceAll(/[.*+?^\${}()|[\\]\\\\]/g, "\\\\$&").replaceAll(/\\s+/g, "\\\\s+"));
}`,
  },
  until: {
    values: ["errors"],
    text: `/** Waits until a condition holds. */
async function until(what: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
  const end = timeoutMs === 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new errors.TimeoutError(\`waited \${timeoutMs} ms for \${what}\`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}`,
  },
  frameOf: {
    types: ["Locator", "Frame"],
    text: `/** The frame of an iframe. */
async function frameOf(iframe: Locator, options: { timeout?: number } = {}): Promise<Frame> {
  const frame = await (await iframe.elementHandle(options))?.contentFrame();
  if (frame === null || frame === undefined) throw new Error("the element is not an iframe");
  await frame.waitForLoadState("domcontentloaded");
  return frame;
}`,
  },
  isList: {
    types: ["Locator"],
    text: `async function isList(element: Locator, options: { timeout?: number } = {}): Promise<boolean> {
  return element.evaluate((node) => node.nodeName === "SELECT", undefined, options);
}`,
  },
  ...tabKit("page.context().pages()"),
};
