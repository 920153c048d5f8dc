/** Pictures of the front tab, taken only while a caller asks for them. */
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

/** Small and slow; for a user who works on the picture, large and fast. */
const formats = {
  small: { format: "jpeg", quality: 55, maxWidth: 480, maxHeight: 320 },
  large: { format: "jpeg", quality: 75, maxWidth: 1600, maxHeight: 1200 },
} as const;
const pacesMs = { small: 1_000, large: 80 };
type Size = keyof typeof formats;
/** An unchanged page sends no picture, so the caller gets null after this and asks again. */
const patienceMs = 4_000;
const unwatchedMs = 8_000;

interface Cast {
  tab: Tab;
  session: CdpSession;
  size: Size;
  off(): void;
}

/** Of the browser's tabs. Does nothing until `next` is called. */
export function createScreencast(tabs: Tabs, clock: Clock, isLarge: () => boolean = () => false): Screencast {
  let cast: Cast | null = null;
  let latest: TabPicture = { number: 0, width: 0, height: 0, jpeg: "" };
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
    pace = unseen.length === 0 ? null : clock.timer(paceMs(), seeOne);
    first?.session.send("Page.screencastFrameAck", { sessionId: first.sessionId }).catch(() => {});
  };
  const paceMs = () => pacesMs[cast?.size ?? "small"];
  const start = async (tab: Tab, size: Size) => {
    stop();
    const { session } = tab;
    const off = session.on("Page.screencastFrame", ({ data, sessionId, metadata }) => {
      const { deviceWidth: width, deviceHeight: height } = metadata;
      latest = { number: latest.number + 1, width, height, jpeg: data };
      arrived();
      unseen.push({ session, sessionId });
      pace ??= clock.timer(paceMs(), seeOne);
    });
    cast = { tab, session, size, off };
    await session.send("Page.startScreencast", formats[size]);
  };
  return {
    async next(after) {
      unwatched?.cancel();
      try {
        const tab = await tabs.shown();
        if (tab === null || closed) return null;
        const size = isLarge() ? "large" : "small";
        if (cast === null || cast.tab !== tab || cast.size !== size || cast.session.closed)
          await start(tab, size);
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
