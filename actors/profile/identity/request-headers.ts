/**
 * Client hints of requests that carry the host's: a new tab's first one is made before its values are there, and an icon may be asked
 * for when they are gone. The browser asks for it some time after the load, in the document's renderer; when that has let its session
 * go already, as the document gave way to another or its tab was closed, the request is made all the same. What a tab loads through
 * a service worker leaves the browser as the worker's own request, a copy of the tab's.
 */
import type { CdpSession, Protocol } from "../cdp/session.ts";
import type { Shown } from "./shown.ts";

type Kind = "Document" | "XHR" | "Other";

/**
 * On the browser's own session: requests for documents and icons ("Other") are held for a moment while it listens; only headers that
 * are wrong are changed.
 * Answers what makes it listen; `Fetch.disable` ends it.
 */
export function mendDocumentRequests(root: CdpSession, shown: Shown): () => Promise<unknown> {
  mend(root, shown);
  return () => listen(root, "Document", "Other");
}

/** How long icons are listened for after a document's load. */
const iconMs = 1_000;

/**
 * On a tab's session. `held`: its first request was made before it was held; those after it are made with the tab's values. Icons are
 * listened for from a document's load on for a while, and through what the document may give way to meanwhile: listening while a page
 * loads cost one with 20 frames and 20 workers an eighth of its time. A document that gives way at once may be too fast: of 720 that
 * were left 0 to 11 ms after their load, six browsers at once, one asked for its icon with the host's hints.
 */
export async function mendTabRequests(page: CdpSession, shown: Shown, held: boolean): Promise<void> {
  let first = held;
  let icons: NodeJS.Timeout | null = null;
  const follow = () => {
    const kinds: Kind[] = [];
    if (first) kinds.push("Document");
    if (icons !== null) kinds.push("Other");
    return kinds.length === 0 ? page.send("Fetch.disable", {}) : listen(page, ...kinds);
  };
  const followLater = () => follow().catch(() => {}); // The tab may be closed.
  mend(page, shown, ({ resourceType }) => {
    if (!first || resourceType !== "Document") return;
    first = false;
    followLater();
  });
  const quiet = () => {
    icons = null;
    followLater();
  };
  page.on("Page.loadEventFired", () => {
    if (icons !== null) return void icons.refresh();
    icons = setTimeout(quiet, iconMs).unref();
    followLater();
  });
  if (first) await follow();
}

/** The same on a service worker's session, where a document that passes through it is called XHR like everything it fetches. */
export function mendWorkerRequests(worker: CdpSession, shown: Shown): Promise<unknown> {
  mend(worker, shown);
  return listen(worker, "XHR");
}

function listen(session: CdpSession, ...kinds: Kind[]): Promise<unknown> {
  const patterns = kinds.map((resourceType) => ({ resourceType, requestStage: "Request" as const }));
  return session.send("Fetch.enable", { patterns });
}

/** Sends on what is held, then tells `mended`. */
function mend(
  session: CdpSession,
  shown: Shown,
  mended?: (event: Protocol.Fetch.RequestPausedEvent) => void,
): void {
  session.on("Fetch.requestPaused", (event) => {
    const { requestId, request } = event;
    const headers = mendedHeaders(request.headers, shown);
    const change = headers === null ? {} : { headers };
    // A request that was given up meanwhile is gone.
    session.send("Fetch.continueRequest", { requestId, ...change }).catch(() => {});
    mended?.(event);
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
