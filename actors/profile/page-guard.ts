/**
 * Keeps the pages of a run from addresses of this machine that are not for scripts, however a page comes to open one.
 *
 * The policy sees what a script asks of the browser, not what a page does by itself: `location = …`, a link, a window, a
 * frame. A page on a browser's debugging port is of that port's own origin, and from there opens its WebSocket: the whole
 * browser of another profile. So, for as long as a script runs, the browser asks before it loads a document. Where it asks
 * anyway, for the values that a profile shows, that one question serves for both: a document that is held twice took 7 ms
 * more of the browser's processor time (80 loads each way, in turns).
 */
import type { ScriptBrowser } from "../script/relay.ts";
import { within } from "./within.ts";

/** A living browser answers at once, also for tabs that are busy. */
const answerMs = 5_000;

export interface PageGuard {
  /** Pages are free again. */
  close(): void;
}

export interface PageGuardOptions {
  browser: ScriptBrowser;
  /** Why this address is not for the script's pages; null lets it pass. */
  refusal(url: string): string | null;
  /** Told of each address that was refused. */
  onRefused(url: string, reason: string): void;
}

/** All documents: what this machine is called is for `refusal` to know. */
const patterns = [{ urlPattern: "*", resourceType: "Document" }];

interface Message {
  id?: number;
  error?: { message?: string };
  method?: string;
  params?: { requestId?: string; request?: { url?: string } };
}

/**
 * Asked of the browser and not of its tabs: so it holds for every tab and frame, those to come included, from their first request.
 * Settles when it holds. Rejects when the browser does not answer.
 */
export async function openPageGuard({ browser, refusal, onRefused }: PageGuardOptions): Promise<PageGuard> {
  const refused = (url: string) => {
    // What else a tab may show, such as the browser's own pages, comes from no port.
    const reason = /^https?:/.test(url) ? refusal(url) : null;
    if (reason !== null) onRefused(url, reason);
    return reason !== null;
  };
  const beginning = browser.guardDocuments?.(refused) ?? guardByClient(browser, refused);
  const begun = await within(beginning, answerMs);
  if (begun !== null) return { close: begun.value };
  beginning.then(
    (end) => end(),
    () => {}, // As said below.
  );
  throw new Error(`the browser did not answer within ${answerMs} ms`);
}

/** As the browser's `guardDocuments`, by a client of our own. */
async function guardByClient(browser: ScriptBrowser, refused: (url: string) => boolean): Promise<() => void> {
  let enabled = (_message: Message): void => {};
  const hear = (message: Message) => {
    const { id, method, params } = message;
    if (id === enableId) return enabled(message);
    if (method !== "Fetch.requestPaused" || params?.requestId === undefined) return;
    const { requestId } = params;
    if (!refused(params.request?.url ?? "")) return ask("Fetch.continueRequest", { requestId });
    ask("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
  };
  const enableId = 1;
  let lastId = enableId;
  const client = await browser.openClient({
    message: (text) => hear(JSON.parse(text)),
    gone: () => enabled({ error: { message: "the browser is gone" } }),
  });
  /** Nobody waits for the answer: a request that was given up meanwhile is gone. */
  const ask = (method: string, params: object) => {
    lastId += 1;
    client.send({ id: lastId, method, params });
  };
  const answer = new Promise<Message>((resolve) => {
    enabled = resolve;
  });
  client.send({ id: enableId, method: "Fetch.enable", params: { patterns } });
  const { error } = await answer;
  if (error === undefined) return () => client.close();
  client.close();
  throw new Error(error.message);
}
