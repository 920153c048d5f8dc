/** Freezes the pages of a profile that nobody uses or looks at, which then cost no processor time (protocol/README.md, "Frozen pages"). */
import { inBackground } from "../kernel/background.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { isBusyPage } from "./busy-page.ts";
import type { Protocol } from "./cdp/session.ts";
import { createIdleTimer } from "./idle-timer.ts";
import type { OpenBrowser } from "./open-browser.ts";

/** Frozen pages go on for `breathMs` this often: sockets answer their pings, and what keeps a login alive is sent. */
const betweenBreathsMs = 20_000;
const breathMs = 500;

export interface FrozenPages {
  /** Wakes the pages, which stay awake until the returned function is called. */
  hold(): () => void;
  /** Resolves when the pages that are being woken show again. */
  awake(): Promise<unknown>;
  /** Freezes them now instead of later, if nothing uses them and they may be frozen. */
  freezeNow(): void;
  close(): void;
}

type WindowState = Protocol.Browser.WindowState;
type Phase = { name: "awake" } | { name: "checking" } | Frozen | { name: "closed" };
interface Frozen {
  name: "frozen";
  /** The state of each window before. */
  windows: ReadonlyMap<number, WindowState>;
  next: Timer;
}

export interface FrozenPagesParts {
  browser: Pick<OpenBrowser, "tabs" | "connection" | "downloads">;
  clock: Clock;
  log: Log;
  /** 0 means never. */
  afterSecs: number;
}

/** Pages that play, call or download are looked at again after the same time. */
export function createFrozenPages({ browser, clock, log, afterSecs }: FrozenPagesParts): FrozenPages {
  const { tabs, connection, downloads } = browser;
  const { root } = connection;
  let phase: Phase = { name: "awake" };
  let waking: Promise<unknown> = Promise.resolve();
  const timer = createIdleTimer(clock, afterSecs, () => inBackground(log, "freezing the pages", freeze()));

  const freeze = async () => {
    const checking: Phase = { name: "checking" };
    phase = checking;
    const windows = await quietWindows();
    if (phase !== checking) return; // It is used again.
    if (windows === null) {
      phase = { name: "awake" };
      timer.touch();
      return;
    }
    connection.together(() => {
      for (const windowId of windows.keys())
        inBackground(log, "minimizing a window", setWindow(windowId, "minimized"));
      inBackground(log, "freezing the pages", setPages("frozen"));
    });
    phase = { name: "frozen", windows, next: clock.timer(betweenBreathsMs, breathe) };
  };

  /** The windows that can be minimized; null when a page is busy. */
  const quietWindows = async () => {
    if (downloads.areGoing()) return null;
    const sessions = new Set(
      tabs.all().flatMap((tab) => [tab.session, ...tab.frames.all().map((frame) => frame.session)]),
    );
    try {
      for (const session of sessions) if (await isBusyPage(session)) return null;
      const found = await Promise.all(
        tabs.all().map(({ targetId }) => root.send("Browser.getWindowForTarget", { targetId })),
      );
      const states = found.map(({ windowId, bounds }) => [windowId, bounds.windowState ?? "normal"] as const);
      return new Map(states.filter(([, state]) => state !== "minimized"));
    } catch {
      return null; // A tab has just closed, or is busy with a script.
    }
  };

  const breathe = () => {
    if (phase.name !== "frozen") return;
    inBackground(log, "letting the pages work", setPages("active"));
    phase.next = clock.timer(breathMs, () => {
      if (phase.name !== "frozen") return;
      inBackground(log, "freezing the pages", setPages("frozen"));
      phase.next = clock.timer(betweenBreathsMs, breathe);
    });
  };

  const setPages = (state: "frozen" | "active") =>
    Promise.allSettled(tabs.all().map(({ session }) => session.send("Page.setWebLifecycleState", { state })));
  const setWindow = (windowId: number, windowState: WindowState) =>
    root.send("Browser.setWindowBounds", { windowId, bounds: { windowState } }).catch(() => {}); // It has closed.
  /** From minimized, only the normal state shows its pages again. */
  const showWindow = async (windowId: number, windowState: WindowState) => {
    const shown = setWindow(windowId, "normal");
    if (windowState !== "normal") await setWindow(windowId, windowState);
    await shown;
  };

  const wake = (to: Phase) => {
    const was = phase;
    phase = to;
    if (was.name !== "frozen") return;
    was.next.cancel();
    waking = connection.together(() =>
      Promise.all([
        ...[...was.windows].map(([windowId, state]) => showWindow(windowId, state)),
        setPages("active"),
      ]),
    );
  };

  return {
    hold() {
      const release = timer.hold();
      if (phase.name !== "closed") wake({ name: "awake" });
      return release;
    },
    awake: () => waking,
    freezeNow: () => timer.expireNow(),
    close() {
      timer.close();
      wake({ name: "closed" });
    },
  };
}
