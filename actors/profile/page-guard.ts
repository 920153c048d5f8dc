/**
 * Keeps the pages of a run from addresses of this machine that are not for scripts, however a page comes to open one.
 *
 * The policy sees what a script asks of the browser, not what a page does by itself: `location = …`, a link, a window, a
 * frame. A page on a browser's debugging port is of that port's own origin, and from there opens its WebSocket: the whole
 * browser of another profile. So, for as long as a script runs, the browser asks before it loads a document from this
 * machine.
 */
import { openRelay } from "../script/relay.ts";
import { within } from "./within.ts";

/** A living browser answers at once, also for tabs that are busy. */
const answerMs = 5_000;

export interface PageGuard {
  /** Pages are free again. */
  close(): void;
}

export interface PageGuardOptions {
  cdpHttpUrl: string;
  /** Why this address is not for the script's pages; null lets it pass. */
  refusal(url: string): string | null;
  /** Told of each address that was refused. */
  onRefused(url: string, reason: string): void;
}

/** Documents of every name that the URL parser leaves this machine; the URLs are in canonical form by then. */
const patterns = ["127.*", "localhost*", "*.localhost*", "0.0.0.0*", "[::1]*", "[::]*", "[::ffff:7f*"].map(
  (host) => ({ urlPattern: `*://${host}`, resourceType: "Document" }),
);

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: {
    sessionId?: string;
    waitingForDebugger?: boolean;
    requestId?: string;
    request?: { url?: string };
  };
}

/** Settles when every tab that is open is guarded; those to come start guarded. Rejects when the browser does not answer. */
export async function openPageGuard({
  cdpHttpUrl,
  refusal,
  onRefused,
}: PageGuardOptions): Promise<PageGuard> {
  const answers = new Map<number, () => void>();
  const guarded: Promise<void>[] = [];
  let lastId = 0;
  const relay = await openRelay({
    cdpHttpUrl,
    judge: (text) => ({ forward: text }),
    onMessage: (text) => hear(JSON.parse(text)),
    onCongestion: () => {},
    onClose: () => {
      for (const answer of answers.values()) answer();
    },
  });
  /** Settles with the answer, an error included: what a target that has just gone answers is of no interest. */
  const ask = (method: string, params: object, sessionId?: string) =>
    new Promise<void>((resolve) => {
      lastId += 1;
      answers.set(lastId, resolve);
      relay.send(JSON.stringify({ id: lastId, method, params, ...(sessionId && { sessionId }) }));
    });
  const attachTo = (type: "page" | "iframe", sessionId?: string) =>
    ask(
      "Target.setAutoAttach",
      {
        autoAttach: true,
        waitForDebuggerOnStart: true,
        flatten: true,
        filter: [{ type }, { exclude: true }],
      },
      sessionId,
    );
  const guard = async (sessionId: string, waits: boolean) => {
    // Frames of another process are targets of their own, with requests of their own.
    await Promise.all([ask("Fetch.enable", { patterns }, sessionId), attachTo("iframe", sessionId)]);
    // Asked of those that wait only: the renderer of an open tab may be busy for ever.
    if (waits) void ask("Runtime.runIfWaitingForDebugger", {}, sessionId);
  };
  const hear = ({ id, method, params, sessionId }: Message) => {
    if (id !== undefined) {
      answers.get(id)?.();
      answers.delete(id);
    } else if (method === "Target.attachedToTarget" && params?.sessionId !== undefined) {
      guarded.push(guard(params.sessionId, params.waitingForDebugger === true));
    } else if (method === "Fetch.requestPaused" && params?.requestId !== undefined) {
      const { requestId } = params;
      const url = params.request?.url ?? "";
      const reason = refusal(url);
      if (reason === null) return void ask("Fetch.continueRequest", { requestId }, sessionId);
      onRefused(url, reason);
      void ask("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }, sessionId);
    }
  };
  // Tabs that are open are announced before this is answered.
  const ready = attachTo("page").then(() => Promise.all(guarded));
  if ((await within(ready, answerMs)) === null) {
    relay.close();
    throw new Error(`the browser did not answer within ${answerMs} ms`);
  }
  return { close: () => relay.close() };
}
