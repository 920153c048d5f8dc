/** Keeps a running browser's cookies on disk, so that logins survive a browser that is not stopped in order. */
import type { Connection } from "./cdp/connection.ts";
import { keepCookies } from "./session-cookies.ts";

export interface SessionKeeper {
  /** Returns when nothing more is written. */
  close(): Promise<void>;
}

/** After the first message of a busy time, and between two looks. */
const soonMs = 500;
const leastMs = 2_000;
/** After the last message: a page may log in without a navigation. */
const lateMs = 30_000;

/** Ours that change no cookie: the looks themselves, and the breaths of frozen pages. */
const quiet: ReadonlySet<unknown> = new Set([
  "Storage.getCookies",
  "Target.getTargets",
  "Page.setWebLifecycleState",
]);

/** What pages do by themselves or under the user's hand. Nothing comes while nothing happens. */
const isActivity = (method: string) => /^(Page|Target|Network)\.(?!screencast)/.test(method);

/** Reads the cookies after messages from and to the browser, and writes them when they have changed. */
export function keepWhileRunning(connection: Connection, userDataDir: string): SessionKeeper {
  let last = "";
  let lookedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  let closed = false;
  let looking = Promise.resolve();

  const schedule = (ms: number, late: boolean) => {
    if (closed) return;
    clearTimeout(timer);
    isLate = late;
    timer = setTimeout(() => void look(late), ms);
  };
  const look = (late: boolean) => {
    timer = undefined;
    lookedAt = performance.now();
    looking = looking
      .then(async () => {
        last = await keepCookies(connection.root, userDataDir, last);
      })
      .catch(() => {}) // The browser has ended, or the disk refuses; the next look tries again.
      .then(() => {
        if (timer === undefined && !late) schedule(lateMs, true);
      });
  };
  const note = () => {
    if (timer !== undefined && !isLate) return;
    schedule(Math.max(soonMs, lookedAt + leastMs - performance.now()), false);
  };
  const unwatch = connection.watchTraffic({
    sent({ method }) {
      if (!quiet.has(method)) note();
    },
    received({ method = "" }) {
      if (isActivity(method)) note();
    },
  });
  const close = () => {
    closed = true;
    clearTimeout(timer);
    unwatch();
    return looking;
  };
  connection.gone.then(close, close);
  note();
  return { close };
}
