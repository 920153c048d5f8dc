/** Corrects the host's client hints: in a new tab's first request, a late request of an icon, and a service worker's copy of a request. */
import type { GuardedKind } from "../../script/relay.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";
import type { Shown } from "./shown.ts";

type Kind = "Document" | "XHR" | "Other";

/** Requests of all tabs and frames, paused on the browser's session. */
export interface DocumentRequests {
  listen(): Promise<unknown>;
  /** While pausing, fails the documents, or all requests, that `refused` refuses. */
  guard(what: GuardedKind, refused: (url: string) => boolean): RequestGuard;
}

interface RequestGuard {
  ready: Promise<unknown>;
  end(): void;
}

/** Pauses documents and icons ("Other") on the browser's session. Changes only wrong headers. */
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
          listenNow().catch(() => {}); // The browser may have ended.
        },
      };
    },
  };
}

/** Starting and stopping takes the browser's main thread longer with each worker of the page. */
const fewWorkers = 4;
/** A loading document with more frames and workers than this is crowded. */
const manyBegun = 10;

/** Pauses requests on a tab's session. `paused`: the tab was paused at its start, after its first request. */
export async function mendTabRequests(page: CdpSession, shown: Shown, paused: boolean): Promise<void> {
  let first = paused;
  let icons = true;
  const follow = () => {
    const kinds: Kind[] = [];
    if (first) kinds.push("Document");
    if (icons) kinds.push("Other");
    return kinds.length === 0 ? page.send("Fetch.disable", {}) : listen(page, ...kinds);
  };
  const followLater = () => void follow().catch(() => {}); // The tab may have closed.
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

/** Reports whether a document is crowded: a loading one by its frames and workers, then by its workers. Pausing icons is slow there. */
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

/** Corrects requests on a service worker's session, where documents are of type XHR. Returns whether one was changed. */
export function mendWorkerRequests(worker: CdpSession, shown: Shown): () => boolean {
  let changed = false;
  mend(worker, shown, {
    mended: (_event, wrong) => {
      changed ||= wrong;
    },
  });
  listen(worker, "XHR").catch(() => {}); // It may have ended.
  return () => changed;
}

function listen(session: CdpSession, ...kinds: Kind[]): Promise<unknown> {
  const ofKinds = kinds.map((resourceType) => ({ resourceType, requestStage: "Request" as const }));
  const patterns = kinds.length === 0 ? [{ requestStage: "Request" as const }] : ofKinds;
  return session.send("Fetch.enable", { patterns });
}

interface Mending {
  refused?(event: Protocol.Fetch.RequestPausedEvent): boolean;
  /** The request has been continued, with other headers if `wrong`. */
  mended?(event: Protocol.Fetch.RequestPausedEvent, wrong: boolean): void;
}

function mend(session: CdpSession, shown: Shown, { refused, mended }: Mending = {}): void {
  session.on("Fetch.requestPaused", (event) => {
    const { requestId, request } = event;
    if (refused?.(event)) {
      session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }).catch(() => {});
      return;
    }
    const headers = mendedHeaders(request.headers, shown);
    const change = headers === null ? {} : { headers };
    // The request may have been cancelled.
    session.send("Fetch.continueRequest", { requestId, ...change }).catch(() => {});
    mended?.(event, headers !== null);
  });
}

/** All headers with corrected hints; null when none is wrong, or when a client has set another user agent. */
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
