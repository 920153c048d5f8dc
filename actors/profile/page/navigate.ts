/** The verb navigate: loads an address in the current tab and waits for the load event. */
import { Fault, quoting, type Worded, worded } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { sayingWhy } from "../proxy/failed-load.ts";
import { within } from "../within.ts";
import { cutOff } from "./evaluate.ts";
import { endedLoop } from "./stuck.ts";
import type { Tab } from "./tab.ts";
import type { Tabs } from "./tabs.ts";
import type { Work } from "./work.ts";

export const work: Work<"navigate"> = async ({ onTab, tabs, bridge }, { url }) => {
  checkUrl(url);
  const loaded = onTab(async (tab) => {
    await navigate(tabs, tab, url);
    return {};
  });
  return sayingWhy(bridge, url, loaded);
};

/** Allows http, https, about:blank and data: (protocol/README.md, "Page driving"). Throws `invalid` for others. */
export function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) throw new Fault("invalid", `url must be an absolute URL, got ${JSON.stringify(url)}`);
  const allowed =
    ["http:", "https:", "data:"].includes(parsed.protocol) || /^about:blank(#.*)?$/.test(parsed.href);
  if (!allowed) {
    throw new Fault("invalid", `url must be http, https, data: or about:blank, got ${JSON.stringify(url)}`);
  }
}

/** A page that is busy for longer runs an endless script, which may block the new page in the same process. */
export const busyMs = 1_000;

/** A page with an event this recent is not probed: it is about to paint, which would delay the reply. */
const aliveMs = 50;

interface Patience {
  timeoutMs?: number;
  aliveMs?: number;
}

/** Loads `url` in the tab, and ends an endless script of the old page. Throws `conflict` with the browser's reason or the state reached. */
export async function navigate(tabs: Tabs, tab: Tab, url: string, patience: Patience = {}): Promise<void> {
  const timeoutMs = patience.timeoutMs ?? limits.navigateTimeoutMs;
  const until = Date.now() + timeoutMs;
  const left = () => Math.max(0, until - Date.now());
  await endOldScript(tab, patience.aliveMs);
  // The reply comes with the document's first byte, so the verb's timeout applies.
  const sent = tab.session.send("Page.navigate", { url }, Number.POSITIVE_INFINITY);
  const reply = await within(sent, left());
  if (reply === null) {
    sent.catch(() => {});
    throw noDocument(tab, url, timeoutMs);
  }
  const { errorText, loaderId, isDownload } = reply.value;
  if (isDownload === true) {
    throw new Fault(
      "conflict",
      `navigation to ${url} started a download instead of showing a page; the list of downloads has the file`,
    );
  }
  if (errorText !== undefined && errorText !== "") {
    // The page that is left went elsewhere at the same moment.
    if (errorText === aborted && loaderId !== undefined && tab.loading.leavingBut(loaderId))
      return navigate(tabs, tab, url, { ...patience, timeoutMs: left() });
    throw new Fault("conflict", `navigation to ${url} failed: ${errorText}${why[errorText] ?? ""}`);
  }
  if (loaderId === undefined) return; // Within the same document.
  const begun = (ms: number) => tab.loading.begun(loaderId, ms);
  if (!(await begun(Math.min(busyMs, left()))) && (await endedLoop(tabs, tab, begun, left())))
    return navigate(tabs, tab, url, { ...patience, timeoutMs: left() });
  await untilLoaded(tab, url, loaderId, timeoutMs, left);
}

/** Ends an endless script of the page that is being left. Once the navigation has begun, neither a probe nor a termination works there. */
export async function endOldScript(tab: Tab, aliveWithinMs = aliveMs): Promise<void> {
  if (!tab.crashed && tab.loading.quietMs > aliveWithinMs) await cutOff(tab, busyMs);
}

/** Stops a navigation that got no answer in time, and says so. */
export function noDocument(tab: Tab, url: string | Worded, timeoutMs: number): Fault {
  tab.session.send("Page.stopLoading", {}).catch(() => {}); // The tab may have closed.
  return new Fault(
    "conflict",
    worded`navigation to ${url} got no document within ${timeoutMs} ms; nothing was reached`,
  );
}

/** Waits for the load event of a document that has begun. Throws `conflict` with the browser's reason or the state reached. */
export async function untilLoaded(
  tab: Tab,
  url: string | Worded,
  loaderId: string,
  timeoutMs: number,
  left: () => number,
): Promise<void> {
  let end = await tab.loading.loaded(loaderId, left());
  if (end === "stopped") {
    const reason = await failureAfterBegin(tab);
    if (reason !== null)
      throw new Fault(
        "conflict",
        worded`navigation to ${url} failed: ${reason}; the page shows what came before that`,
      );
    // The page or a user has stopped it, or the event is of the previous document.
    if (!(await isComplete(tab))) end = await tab.loading.loaded(loaderId, left(), "anyhow");
  }
  if (end !== "late") return;
  const shown = tab.frames.main?.url;
  const reached = tab.loading.committed(loaderId)
    ? worded`${shown ? quoting(shown) : url}, ${tab.loading.words}`
    : "nothing; the old page is still there";
  throw new Fault(
    "conflict",
    worded`the load event of ${url} did not come within ${timeoutMs} ms; reached: ${reached}`,
  );
}

const aborted = "net::ERR_ABORTED";

const why: Record<string, string> = {
  [aborted]: "; the server answered without a page, as with 204, or something else stopped it",
  // The guard of unapproved scripts blocks it, also after the script's end.
  "net::ERR_BLOCKED_BY_CLIENT":
    "; a script that runs or ran in this browser may not open it: stop the profile and launch it again",
};

/** The browser's reason why a tab's document is incomplete; null when nothing failed. */
async function failureAfterBegin({ session, frames }: Tab): Promise<string | null> {
  const address = (frames.main?.url ?? "").replace(/#.*/, "");
  let reason: string | null = null;
  const off = session.on("Log.entryAdded", ({ entry }) => {
    if (entry.source !== "network" || entry.url?.replace(/#.*/, "") !== address) return;
    reason = /net::\w+/.exec(entry.text)?.[0] ?? reason;
  });
  try {
    await session.send("Log.enable", {}); // First reports what the document has logged so far.
    await session.send("Log.disable", {});
  } finally {
    off();
  }
  return reason;
}

async function isComplete({ session }: Tab): Promise<boolean> {
  const params = { expression: "document.readyState === 'complete'", returnByValue: true };
  return (await session.send("Runtime.evaluate", params)).result.value === true;
}
