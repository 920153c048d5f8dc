/** Small pictures of the front tab at a low rate, taken only while a caller asks for them. */
import type { TabPicture } from "../../protocol/messages/profile.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { type CdpSession, failureOf } from "./cdp/session.ts";
import type { Tab } from "./page/tab.ts";
import type { Tabs } from "./page/tabs.ts";
import { within } from "./within.ts";

export interface Screencast {
  /** A picture with a higher number than `after`; null when there was none in time. */
  next(after: number): Promise<TabPicture | null>;
  close(): void;
}

const pictureFormat = { format: "jpeg", quality: 55, maxWidth: 480, maxHeight: 320 } as const;
const paceMs = 1_000;
/** An unchanged page sends no picture, so the caller gets null after this and asks again. */
const patienceMs = 4_000;
const unwatchedMs = 8_000;

interface Cast {
  tab: Tab;
  session: CdpSession;
  off(): void;
}

/** Of the browser's tabs. Does nothing until `next` is called. */
export function createScreencast(tabs: Tabs, clock: Clock): Screencast {
  let cast: Cast | null = null;
  let latest: TabPicture = { number: 0, jpeg: "" };
  const waiting = new Set<() => void>();
  const arrived = () => {
    for (const tell of waiting) tell();
    waiting.clear();
  };
  let unwatched: Timer | null = null;
  let pace: Timer | null = null;
  /** Pictures without an ack: Chromium sends no more while two are pending, which limits the rate. */
  let unseen: { session: CdpSession; sessionId: number }[] = [];
  let closed = false;

  const stop = () => {
    const was = cast;
    cast = null;
    pace?.cancel();
    pace = null;
    unseen = [];
    was?.off();
    was?.session.send("Page.stopScreencast", {}).catch(() => {}); // The tab may have closed.
  };
  const seeOne = () => {
    const first = unseen.shift();
    pace = unseen.length === 0 ? null : clock.timer(paceMs, seeOne);
    first?.session.send("Page.screencastFrameAck", { sessionId: first.sessionId }).catch(() => {});
  };
  const start = async (tab: Tab) => {
    stop();
    const { session } = tab;
    const off = session.on("Page.screencastFrame", ({ data, sessionId }) => {
      latest = { number: latest.number + 1, jpeg: data };
      arrived();
      unseen.push({ session, sessionId });
      pace ??= clock.timer(paceMs, seeOne);
    });
    cast = { tab, session, off };
    await session.send("Page.startScreencast", pictureFormat);
  };
  return {
    async next(after) {
      unwatched?.cancel();
      try {
        const tab = await tabs.shown();
        if (tab === null || closed) return null;
        if (cast === null || cast.tab !== tab || cast.session.closed) await start(tab);
      } catch (error) {
        if (failureOf(error) === null) throw error;
        stop(); // The tab has just closed or is busy; the next call may succeed.
        return null;
      }
      unwatched = clock.timer(unwatchedMs, stop);
      if (latest.number <= after) {
        const coming = new Promise<void>((resolve) => waiting.add(resolve));
        await within(coming, patienceMs);
      }
      return latest.number > after ? latest : null;
    },
    close() {
      closed = true;
      unwatched?.cancel();
      pace?.cancel();
      arrived();
    },
  };
}
