/** The clients that verbs are compared with, each on its own browser with the same switches. */
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import type { ShownDevice } from "../actors/profile/chromium/switches.ts";
import type { WaitForElementReply } from "../protocol/verbs/wait-for-element.ts";
import { withBareBrowser } from "./launchers.ts";
import type { Rest } from "./served.ts";

/** One page, used as the client's documentation advises. Elements are named by CSS selector. */
export interface Client {
  navigate(url: string): Promise<unknown>;
  /** Resolves element handles ahead, if the client has handles. */
  prepare(selectors: readonly string[]): Promise<void>;
  click(selector: string): Promise<unknown>;
  type(selector: string, text: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  /** What the page shows, as png. */
  screenshot(): Promise<Uint8Array>;
}

/** Ours over REST, with node ids as agents use them. */
export function troupeClient(rest: Rest, profileId: string): Client {
  const nodes = new Map<string, number>();
  const call = <Reply>(verb: string, body: object): Promise<Reply> =>
    rest.post(`/v1/profiles/${profileId}/${verb}`, body);
  return {
    navigate: (url) => call("navigate", { url }),
    async prepare(selectors) {
      for (const selector of selectors) {
        const { node_id } = await call<WaitForElementReply>("wait-for-element", { selector });
        nodes.set(selector, node_id);
      }
    },
    click: (selector) => call("click", { node_id: nodes.get(selector) }),
    type: (selector, text) => call("type", { node_id: nodes.get(selector), text }),
    evaluate: async (expression) => (await call<{ result: unknown }>("evaluate", { expression })).result,
    screenshot: () => rest.bytes(`/v1/profiles/${profileId}/screenshot`),
  };
}

export const shownDevice = `({
  userAgent: navigator.userAgent,
  screen: {
    width: screen.width,
    height: screen.height,
    devicePixelRatio,
    colorDepth: screen.colorDepth,
    insetTop: screen.availTop,
    insetBottom: screen.height - screen.availTop - screen.availHeight,
  },
})`;

/** The device of the running profile, because page size affects every client's cost. */
export async function deviceOf(rest: Rest, profileId: string): Promise<ShownDevice> {
  const body = { expression: shownDevice };
  const { result } = await rest.post<{ result: ShownDevice }>(`/v1/profiles/${profileId}/evaluate`, body);
  return result;
}

export function withPlaywright<Result>(
  device: ShownDevice,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  return withBareBrowser(async (cdpUrl) => {
    const browser = await chromium.connectOverCDP(cdpUrl);
    const page = browser.contexts()[0]?.pages()[0];
    if (page === undefined) throw new Error("Playwright sees no page");
    const result = await use({
      navigate: (url) => page.goto(url),
      prepare: async () => {},
      click: (selector) => page.locator(selector).click(),
      type: (selector, text) => page.locator(selector).pressSequentially(text),
      evaluate: (expression) => page.evaluate(expression),
      screenshot: () => page.screenshot(),
    });
    await browser.close();
    return result;
  }, device);
}

export function withPuppeteer<Result>(
  device: ShownDevice,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  return withBareBrowser(async (cdpUrl) => {
    const browser = await puppeteer.connect({ browserURL: cdpUrl, defaultViewport: null });
    const [page] = await browser.pages();
    if (page === undefined) throw new Error("Puppeteer sees no page");
    const result = await use({
      navigate: (url) => page.goto(url),
      prepare: async () => {},
      click: (selector) => page.locator(selector).click(),
      type: (selector, text) => page.type(selector, text),
      evaluate: (expression) => page.evaluate(expression),
      screenshot: () => page.screenshot(),
    });
    await browser.disconnect();
    return result;
  }, device);
}
