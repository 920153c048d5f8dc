/** Reads and writes what sites store in a running profile, by Playwright's own storage state. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { Fault } from "../../protocol/faults.ts";
import type { OriginState } from "../../protocol/storage-state.ts";
import { withDeadline } from "../kernel/deadline.ts";
import { visitedSites } from "./visited-sites.ts";

/** A profile may have visited more; those with data and the latest come first. */
const originsMax = 1_000;
/** A page that opens its database again and again would hold up the call without an end. */
const restoreMsMax = 120_000;

interface Opened {
  cdpUrl: string;
  userDataDir: string;
  /** Sites to look at beside those that the profile's files name. */
  origins: string[];
}

/** With the sites that the context was shown. */
type Work<T> = (context: BrowserContext, origins: readonly string[]) => Promise<T>;

/** Sites without storage are left out. */
export function readOrigins(opened: Opened): Promise<{ origins: OriginState[] }> {
  return withContext(opened, async (context) => {
    const { origins } = await context.storageState({ indexedDB: true });
    return { origins };
  });
}

/** Replaces the storage of all sites, and removes the cookies. Throws `invalid` for what Playwright refuses. */
export async function writeOrigins({ state, ...opened }: Opened & { state: OriginState[] }): Promise<null> {
  const odd = state.find(({ origin }) => !URL.canParse(origin) || !/^https?:/.test(origin));
  if (odd !== undefined)
    throw new Fault(
      "invalid",
      `origins must be of http or https, got ${JSON.stringify(odd.origin.slice(0, 80))}`,
    );
  const storageState = { cookies: [], origins: state };
  return withContext(opened, async (context, origins) => {
    // A damaged state is refused in a context of its own, before anything is lost.
    await attempt(async () => {
      const trial = await context.browser()?.newContext({ storageState });
      await trial?.close();
    });
    await emptyDatabases(context, origins);
    await attempt(() => context.setStorageState(storageState));
    return null;
  });
}

/** Throws `invalid` with Playwright's words, and `conflict` after `restoreMsMax`. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await withDeadline(work(), restoreMsMax, "the restore");
  } catch (error) {
    if (error instanceof Fault)
      throw new Fault(
        "conflict",
        "the origins were not restored in time, so the profile may have a part of them; close the pages that use their databases, and try again",
      );
    const words = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new Fault("invalid", `origins cannot be restored: ${words[1] ?? words[0]}`.slice(0, 500));
  }
}

/** A connection that a page or a worker holds would make Playwright wait for ever. The browser closes it with its data. */
async function emptyDatabases(context: BrowserContext, origins: readonly string[]): Promise<void> {
  const page = await context.newPage();
  try {
    const session = await context.newCDPSession(page);
    for (const origin of origins)
      await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
  } finally {
    await page.close();
  }
}

/** Throws `conflict` when the browser ends meanwhile: Playwright then leaves some of its calls without an answer. */
async function withContext<T>(opened: Opened, work: Work<T>): Promise<T> {
  const { chromium } = await import("playwright-core"); // Large, and rarely needed.
  const ended = () => new Fault("conflict", "the profile's browser was closed meanwhile; try again");
  const browser = await chromium.connectOverCDP(opened.cdpUrl).catch(() => {
    throw ended();
  });
  try {
    const end = new Promise<never>((_, reject) => browser.once("disconnected", () => reject(ended())));
    return await Promise.race([onSites(browser, opened, work), end]);
  } catch (error) {
    throw browser.isConnected() ? error : ended();
  } finally {
    if (browser.isConnected()) await browser.close(); // Only detaches.
  }
}

/** Shows the context all sites whose storage it is to know, then does the work. */
async function onSites<T>(browser: Browser, { userDataDir, origins }: Opened, work: Work<T>): Promise<T> {
  const [context] = browser.contexts();
  if (context === undefined) throw new Fault("conflict", "the profile's browser has no context");
  const frames = context.pages().flatMap((page) => page.frames().map((frame) => frame.url()));
  const open = frames.filter((url) => /^https?:/.test(url)).map((url) => new URL(url).origin);
  const known = await visitedSites(userDataDir, originsMax);
  const sites = [...new Set([...open, ...known, ...origins])].slice(0, originsMax);
  await visit(context, sites);
  return work(context, sites);
}

/** Without its own, Chromium would ask the site for an icon, and a page that closes at that moment lets the request pass. */
const emptyPage = '<html><head><link rel="icon" href="data:,"></head></html>';

/**
 * Playwright's state has the sites that it has seen: each is shown as an empty page, and no document is requested. Playwright then shows
 * each once more without such an icon; a slow browser may ask the last site for its `favicon.ico`.
 */
async function visit(context: BrowserContext, origins: readonly string[]): Promise<void> {
  const page: Page = await context.newPage();
  try {
    const session = await context.newCDPSession(page);
    await session.send("Network.setBypassServiceWorker", { bypass: true });
    await page.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: emptyPage }));
    for (const origin of origins) await page.goto(origin, { waitUntil: "commit" });
  } finally {
    await page.close();
  }
}
