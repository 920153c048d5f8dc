/**
 * Client hints of requests that carry the host's: a new tab's first one is made before its values are there, and an icon may be asked
 * for when they are gone. The browser asks for it some time after the load, in the document's renderer; when that has let its session
 * go already, as the document gave way to another or its tab was closed, the request is made all the same. What a tab loads through
 * a service worker leaves the browser as the worker's own request, a copy of the tab's.
 */
import type { GuardedKind } from "../../script/relay.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";
import type { Shown } from "./shown.ts";

type Kind = "Document" | "XHR" | "Other";

/** Requests of all tabs and frames, held for a moment by the browser's own session while it listens. */
export interface DocumentRequests {
  /** Makes it listen; `Fetch.disable` ends it. */
  listen(): Promise<unknown>;
  /** While it listens, `refused` is asked about the address of every document, or of everything, that is held; what it refuses fails. */
  guard(what: GuardedKind, refused: (url: string) => boolean): RequestGuard;
}

interface RequestGuard {
  /** Settles when it holds, if the session listens. */
  ready: Promise<unknown>;
  end(): void;
}

/** On the browser's own session: documents and icons ("Other") are met; only headers that are wrong are changed. */
export function mendDocumentRequests(root: CdpSession, shown: Shown): DocumentRequests {
  const guards = new Map<(url: string) => boolean, GuardedKind>();
  const listenNow = () =>
    [...guards.values()].includes("all") ? listen(root) : listen(root, "Document", "Other");
  mend(root, shown, {
    refused: ({ resourceType, request }) =>
      [...guards].some(
        ([refused, what]) => (what === "all" || resourceType === "Document") && refused(request.url),
      ),
  });
  return {
    listen: listenNow,
    guard(what, refused) {
      const own = (url: string) => refused(url);
      guards.set(own, what);
      return {
        ready: what === "all" ? listenNow() : Promise.resolve(),
        end() {
          if (!guards.delete(own) || what === "documents") return;
          listenNow().catch(() => {}); // The browser may be gone.
        },
      };
    },
  };
}

/** To begin and to end listening costs the browser's main thread half a millisecond for each worker of the page. */
const fewWorkers = 4;
/** So many frames and workers of a document that loads, and listening ends: before most of them are there, as each costs then. */
const manyBegun = 10;

/**
 * On a tab's session. `held`: its first request was made before it was held; those after it are made with the tab's values.
 */
export async function mendTabRequests(page: CdpSession, shown: Shown, held: boolean): Promise<void> {
  let first = held;
  let icons = true;
  const follow = () => {
    const kinds: Kind[] = [];
    if (first) kinds.push("Document");
    if (icons) kinds.push("Other");
    return kinds.length === 0 ? page.send("Fetch.disable", {}) : listen(page, ...kinds);
  };
  const followLater = () => void follow().catch(() => {}); // The tab may be closed.
  mend(page, shown, {
    mended: ({ resourceType }) => {
      if (!first || resourceType !== "Document") return;
      first = false;
      followLater();
    },
  });
  watchCrowd(page, (crowded) => {
    if (icons === !crowded) return;
    icons = !crowded;
    followLater();
  });
  await follow();
}

/**
 * Tells whether a tab's document is crowded: while it loads, by the frames and workers that it has begun; then by its workers. Icons
 * are listened for whenever it is not. A document that goes on to the next as soon as it has loaded is too fast for what begins with
 * its load, and even with its navigation: of 900 such after a quiet while, six browsers on busy cores, 41 and 2 asked with the host's
 * hints, and none of 1,300 that were listened to before. One with 20 frames and 20 workers took a twelfth longer when that was never ended.
 */
function watchCrowd(page: CdpSession, tell: (crowded: boolean) => void): void {
  const workers = new Set<string>();
  let loading = true;
  let begun = 0;
  const begins = () => {
    if (!loading) return;
    begun += 1;
    if (begun > manyBegun) tell(true);
  };
  page.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
    if (targetInfo.type !== "worker") return;
    workers.add(sessionId);
    begins();
  });
  page.on("Target.detachedFromTarget", ({ sessionId }) => workers.delete(sessionId));
  page.on("Page.frameAttached", begins);
  page.on("Page.frameNavigated", ({ frame }) => {
    if (frame.parentId !== undefined) return;
    loading = true;
    begun = 0;
  });
  page.on("Page.domContentEventFired", () => tell(begun > manyBegun));
  page.on("Page.loadEventFired", () => {
    loading = false;
    tell(workers.size > fewWorkers);
  });
}

/**
 * The same on a service worker's session, where a document that passes through it is called XHR like everything it fetches. Answers
 * what tells whether one was changed there.
 */
export function mendWorkerRequests(worker: CdpSession, shown: Shown): () => boolean {
  let changed = false;
  mend(worker, shown, {
    mended: (_event, wrong) => {
      changed ||= wrong;
    },
  });
  listen(worker, "XHR").catch(() => {}); // It may be gone.
  return () => changed;
}

/** To these kinds of requests; none named: to all. */
function listen(session: CdpSession, ...kinds: Kind[]): Promise<unknown> {
  const ofKinds = kinds.map((resourceType) => ({ resourceType, requestStage: "Request" as const }));
  const patterns = kinds.length === 0 ? [{ requestStage: "Request" as const }] : ofKinds;
  return session.send("Fetch.enable", { patterns });
}

interface Mending {
  /** It does not go on. */
  refused?(event: Protocol.Fetch.RequestPausedEvent): boolean;
  /** It has gone on; `wrong`: with other headers. */
  mended?(event: Protocol.Fetch.RequestPausedEvent, wrong: boolean): void;
}

/** Sends on what is held. */
function mend(session: CdpSession, shown: Shown, { refused, mended }: Mending = {}): void {
  session.on("Fetch.requestPaused", (event) => {
    const { requestId, request } = event;
    if (refused?.(event)) {
      session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }).catch(() => {});
      return;
    }
    const headers = mendedHeaders(request.headers, shown);
    const change = headers === null ? {} : { headers };
    // A request that was given up meanwhile is gone.
    session.send("Fetch.continueRequest", { requestId, ...change }).catch(() => {});
    mended?.(event, headers !== null);
  });
}

/** All headers with the wrong hints put right; null when none is wrong, or when a client has given the tab another user agent. */
export function mendedHeaders(
  given: Readonly<Record<string, string>>,
  { userAgent, hints }: Pick<Shown, "userAgent" | "hints">,
): Protocol.Fetch.HeaderEntry[] | null {
  let wrong = false;
  const headers: Protocol.Fetch.HeaderEntry[] = [];
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (lower === "user-agent" && value !== userAgent) return null;
    const right = hints.get(lower) ?? value;
    if (right !== value) wrong = true;
    headers.push({ name, value: right });
  }
  return wrong ? headers : null;
}
