/** The sessions of all tabs, present and future, those of frames in other renderers included. */
import type { CdpSession } from "../cdp/session.ts";
import type { Tab } from "./tab.ts";
import type { Tabs } from "./tabs.ts";

/** Calls `follow` once for each session, and returns what it returned for those that are there. */
export function everySession<T>(
  tabs: Tabs,
  follow: (session: CdpSession, tab: Tab) => Promise<T>,
): Promise<T>[] {
  const seen = new WeakSet<CdpSession>();
  const followNew = (tab: Tab): Promise<T>[] => {
    const sessions = new Set([tab.session, ...tab.frames.all().map((frame) => frame.session)]);
    return [...sessions].flatMap((session) => {
      if (seen.has(session)) return [];
      seen.add(session);
      return [follow(session, tab)];
    });
  };
  const watch = (tab: Tab): Promise<T>[] => {
    tab.session.on("Target.attachedToTarget", () => {
      const known = tab.frames.known().then(() => Promise.all(followNew(tab)));
      known.catch(() => {}); // The frame or the tab has gone.
    });
    return followNew(tab);
  };
  // Behind the listener of the tabs, so that a new tab is known.
  tabs.root.on("Target.attachedToTarget", ({ targetInfo }) => {
    const tab = tabs.byTarget(targetInfo.targetId);
    if (tab !== undefined) Promise.all(watch(tab)).catch(() => {}); // It has closed.
  });
  return tabs.all().flatMap(watch);
}
