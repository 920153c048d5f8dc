/**
 * Client hints of requests: a new tab's first one is made before its values are there, and carries the host's. What it loads through
 * a service worker leaves the browser as the worker's own request, a copy of the tab's.
 */
import type { CdpSession, Protocol } from "../cdp/session.ts";
import type { Shown } from "./shown.ts";

type Kind = "Document" | "XHR";

/**
 * On the browser's own session: document requests are held for a moment while it listens; only headers that are wrong are changed.
 * Answers what makes it listen; `Fetch.disable` ends it.
 */
export function mendDocumentRequests(root: CdpSession, shown: Shown): () => Promise<unknown> {
  mend(root, shown);
  return () => listen(root, "Document");
}

/** On the session of a tab that is held: its first request, made before it was held. Those after it are made with the tab's values. */
export function mendFirstRequest(page: CdpSession, shown: Shown): Promise<unknown> {
  const stop = mend(page, shown, () => {
    stop();
    page.send("Fetch.disable", {}).catch(() => {}); // The tab may be closed.
  });
  return listen(page, "Document");
}

/** The same on a service worker's session, where a document that passes through it is called XHR like everything it fetches. */
export function mendWorkerRequests(worker: CdpSession, shown: Shown): Promise<unknown> {
  mend(worker, shown);
  return listen(worker, "XHR");
}

function listen(session: CdpSession, resourceType: Kind): Promise<unknown> {
  return session.send("Fetch.enable", { patterns: [{ resourceType, requestStage: "Request" }] });
}

/** Sends on what is held, then tells `mended`. Answers what ends it. */
function mend(session: CdpSession, shown: Shown, mended?: () => void): () => void {
  return session.on("Fetch.requestPaused", ({ requestId, request }) => {
    const headers = mendedHeaders(request.headers, shown);
    const change = headers === null ? {} : { headers };
    // A request that was given up meanwhile is gone.
    session.send("Fetch.continueRequest", { requestId, ...change }).catch(() => {});
    mended?.();
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
