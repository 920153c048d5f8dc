/** The verb navigate: load an address in the current tab and wait for the load event. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { within } from "../within.ts";
import { cutOff } from "./evaluate.ts";
import { endedLoop } from "./stuck.ts";
import type { Tab, Tabs } from "./tabs.ts";

/** protocol/README.md, "Page driving": http, https, about:blank and data: only. Throws `invalid`. */
export function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) throw new Fault("invalid", `url must be an absolute URL, got ${JSON.stringify(url)}`);
  const allowed =
    ["http:", "https:", "data:"].includes(parsed.protocol) || /^about:blank(#.*)?$/.test(parsed.href);
  if (!allowed) {
    throw new Fault("invalid", `url must be http, https, data: or about:blank, got ${JSON.stringify(url)}`);
  }
}

/** A page that is busy for longer is held to run without end: it would hold up the new page, which may share its process. */
const busyMs = 1_000;

/** A page that has said so lately that it has reached something is alive. To ask it once more takes 5 to 10 ms: it is about to paint. */
const aliveMs = 50;

interface Patience {
  timeoutMs?: number;
  aliveMs?: number;
}

/**
 * Loads `url` in the tab. A page that runs a script for ever is made to end it first, and the new document is put in its place as always.
 * When it began that too late to be noticed, the process that it shares with the new document is ended (stuck.ts).
 *
 * Throws `conflict` with the browser's reason, or with what was reached when the load event does not come.
 */
export async function navigate(tabs: Tabs, tab: Tab, url: string, patience: Patience = {}): Promise<void> {
  const timeoutMs = patience.timeoutMs ?? limits.navigateTimeoutMs;
  const until = Date.now() + timeoutMs;
  const left = () => Math.max(0, until - Date.now());
  // Now or never: once the new document is on its way, commands to the old one are held back: sent beside the
  // navigation, the probe is answered "navigated or closed" by a page that loops, and the termination not at all.
  if (!tab.crashed && tab.loading.quietMs > (patience.aliveMs ?? aliveMs)) await cutOff(tab, busyMs);
  // The answer comes with the first byte of the document; the deadline is the verb's own.
  const sent = tab.session.send("Page.navigate", { url }, Number.POSITIVE_INFINITY);
  const reply = await within(sent, left());
  if (reply === null) {
    sent.catch(() => {}); // Stopped in the next line; its answer no longer matters.
    tab.session.send("Page.stopLoading", {}).catch(() => {});
    throw new Fault(
      "conflict",
      `navigation to ${url} got no document within ${timeoutMs} ms; nothing was reached`,
    );
  }
  const { errorText, loaderId, isDownload } = reply.value;
  if (isDownload === true) {
    throw new Fault("conflict", `navigation to ${url} started a download instead of showing a page`);
  }
  if (errorText !== undefined && errorText !== "") {
    throw new Fault("conflict", `navigation to ${url} failed: ${errorText}`);
  }
  if (loaderId === undefined) return; // Same document: done at once.
  const begun = await tab.loading.begun(loaderId, Math.min(busyMs, left()));
  if (!begun && (await endedLoop(tabs, tab, loaderId, left())))
    return navigate(tabs, tab, url, { ...patience, timeoutMs: left() });
  if (await tab.loading.loaded(loaderId, left())) return;
  const reached = tab.loading.committed(loaderId)
    ? `${tab.frames.main?.url || url}, ${tab.loading.words}`
    : "nothing; the old page is still there";
  throw new Fault(
    "conflict",
    `the load event of ${url} did not come within ${timeoutMs} ms; reached: ${reached}`,
  );
}
