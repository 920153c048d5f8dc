/** A step through a tab's history, and a reload. Unlike those of navigate, their commands reply without the result of the load. */
import { setTimeout } from "node:timers/promises";
import { Fault, quoting, worded } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { PageReply } from "../../../protocol/verb.ts";
import type { Protocol } from "../cdp/session.ts";
import { sayingWhy } from "../proxy/failed-load.ts";
import { leavingNow } from "./dialogs.ts";
import { busyMs, endOldScript, noDocument, untilLoaded } from "./navigate.ts";
import { endedLoop } from "./stuck.ts";
import type { Tab } from "./tab.ts";
import type { Turn } from "./work.ts";

/** Addresses that a user can open in a window, but navigate cannot. */
const ownSchemes = /^(file|filesystem|view-source|chrome(-\w+)?|devtools):/i;

const exchangeMs = 2_000;

const ends = {
  back: "there is nowhere to go back to: this is the first page of the tab",
  forward: "there is nowhere to go forward to: this is the last page of the tab",
} as const;

/** Goes to the previous or next entry. Throws `conflict` when there is none, or it does not load. */
export function goTo(turn: Turn, direction: keyof typeof ends): Promise<PageReply> {
  return turn.onTab(async (tab) => {
    const { currentIndex, entries } = await historyOf(tab);
    const entry = entries[currentIndex + (direction === "back" ? -1 : 1)];
    if (entry === undefined) throw new Fault("conflict", ends[direction]);
    if (ownSchemes.test(entry.url))
      throw new Fault(
        "conflict",
        worded`${quoting(entry.url)} is no page that the verbs open; navigate elsewhere`,
      );
    await step(turn, tab, entry.url, () =>
      tab.session.send("Page.navigateToHistoryEntry", { entryId: entry.id }),
    );
    return {};
  });
}

/** Retries while the browser replaces a page that is being left. */
export async function historyOf({ session }: Tab): Promise<Protocol.Page.GetNavigationHistoryResponse> {
  for (const until = Date.now() + exchangeMs; ; await setTimeout(exchangeMs / 100)) {
    try {
      return await session.send("Page.getNavigationHistory", {});
    } catch (error) {
      if (!String(error).includes(leavingNow) || Date.now() > until) throw error;
    }
  }
}

/** Begins a load of `url` and waits for its load event, or for the change within the document. Throws `conflict` as navigate does. */
export function step(turn: Turn, tab: Tab, url: string, begin: () => Promise<unknown>): Promise<void> {
  return sayingWhy(turn.bridge, url, stepWithin(turn, tab, url, begin, limits.navigateTimeoutMs));
}

async function stepWithin(
  turn: Turn,
  tab: Tab,
  url: string,
  begin: () => Promise<unknown>,
  timeoutMs: number,
): Promise<void> {
  const until = Date.now() + timeoutMs;
  const left = () => Math.max(0, until - Date.now());
  const { loading } = tab;
  const address = quoting(url);
  await endOldScript(tab, 0);
  // The reason of a failed load is only in the requests' events, which request-log.ts asks for.
  const begun = await loading.stepped(begin, left());
  if (begun === null) throw noDocument(tab, address, timeoutMs);
  const arrived = (ms: number) => loading.arrived(begun, ms);
  if (!(await arrived(Math.min(busyMs, left()))) && (await endedLoop(turn.tabs, tab, arrived, left())))
    return stepWithin(turn, tab, url, begin, left());
  const { loaderId, error, kept } = begun;
  if (error !== null) {
    // The browser shows a page about it, unless the answer was none for a page.
    if (error !== "net::ERR_ABORTED") await loading.begun(loaderId, limits.navigationSettleMs);
    await historyOf(tab);
    throw new Fault("conflict", worded`navigation to ${address} failed: ${error}`);
  }
  if (!kept) await untilLoaded(tab, address, loaderId, timeoutMs, left);
}
