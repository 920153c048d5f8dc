/**
 * Client hints of requests: a new tab's first one is made before its values are there, and carries the host's. What it loads through
 * a service worker leaves the browser as the worker's own request, a copy of the tab's.
 */
import type { CdpSession, Protocol } from "../cdp/session.ts";
import type { Shown } from "./shown.ts";

/** On the browser's own session: every document request is held for a moment; only headers that are wrong are changed. */
export function mendDocumentRequests(root: CdpSession, shown: Shown): Promise<unknown> {
  return mend(root, shown, "Document");
}

/** The same on a service worker's session, where a document that passes through it is called XHR like everything it fetches. */
export function mendWorkerRequests(worker: CdpSession, shown: Shown): Promise<unknown> {
  return mend(worker, shown, "XHR");
}

function mend(session: CdpSession, shown: Shown, resourceType: "Document" | "XHR"): Promise<unknown> {
  session.on("Fetch.requestPaused", ({ requestId, request }) => {
    const headers = mendedHeaders(request.headers, shown);
    const mended = headers === null ? {} : { headers };
    // A request that was given up meanwhile is gone.
    session.send("Fetch.continueRequest", { requestId, ...mended }).catch(() => {});
  });
  return session.send("Fetch.enable", { patterns: [{ resourceType, requestStage: "Request" }] });
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
