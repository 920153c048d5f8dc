/**
 * Keeps the pages of a run from addresses of this machine that are not for scripts, however a page comes to open one.
 *
 * The policy sees what a script asks of the browser, not what a page does by itself: `location = …`, a link, a window, a
 * frame. A page on a browser's debugging port is of that port's own origin, and from there opens its WebSocket: the whole
 * browser of another profile. So, for as long as a script runs, the browser asks before it loads a document, and of a script that is not
 * approved before it loads anything: from a blank page everything on this machine is within reach of a request. Where it asks
 * anyway, for the values that a profile shows, that one question serves for both: a document that is held twice took 7 ms
 * more of the browser's processor time (80 loads each way, in turns).
 */
import type { GuardedKind, ScriptBrowser } from "../script/relay.ts";
import { within } from "./within.ts";

/** A living browser answers at once, also for tabs that are busy. */
const answerMs = 5_000;

export interface PageGuard {
  /** Pages are free again. */
  close(): void;
}

export interface PageGuardOptions {
  browser: ScriptBrowser;
  /** All: also what a page fetches, whose answer it may not see and whose effect is there all the same. */
  what: GuardedKind;
  /** Why this address is not for the script's pages; null lets it pass. */
  refusal(url: string): string | null;
  /** Told of each address that was refused. */
  onRefused(url: string, reason: string): void;
}

/** Of any address: what this machine is called is for `refusal` to know. */
const patterns = {
  documents: [{ urlPattern: "*", resourceType: "Document" }],
  all: [{ urlPattern: "*" }],
} satisfies Record<GuardedKind, object[]>;

/**
 * Asked of the browser and not of its tabs: so it holds for every tab and frame, those to come included, from their first request.
 * Settles when it holds. Rejects when the browser does not answer.
 */
export async function openPageGuard({
  browser,
  what,
  refusal,
  onRefused,
}: PageGuardOptions): Promise<PageGuard> {
  const refused = (url: string) => {
    // What else a tab may show, such as the browser's own pages, comes from no port.
    const reason = /^https?:/.test(url) ? refusal(url) : null;
    if (reason !== null) onRefused(url, reason);
    return reason !== null;
  };
  const beginning = begin(browser, what, refused);
  const begun = await within(beginning, answerMs);
  if (begun !== null) return { close: begun.value };
  beginning.then(
    (end) => end(),
    () => {}, // As said below.
  );
  throw new Error(`the browser did not answer within ${answerMs} ms`);
}

async function begin(
  browser: ScriptBrowser,
  what: GuardedKind,
  refused: (url: string) => boolean,
): Promise<() => void> {
  const end = await (browser.guardRequests?.(what, refused) ?? guardByClient(browser, what, refused));
  if (what === "documents") return end;
  try {
    const uncover = await coverOpenPages(browser);
    return () => {
      uncover();
      end();
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** As the browser's `guardRequests`, by a client of our own. */
async function guardByClient(
  browser: ScriptBrowser,
  what: GuardedKind,
  refused: (url: string) => boolean,
): Promise<() => void> {
  const client = await openAsker(browser, ({ method, params }) => {
    if (method !== "Fetch.requestPaused" || params?.requestId === undefined) return;
    const { requestId } = params;
    const answer = refused(params.request?.url ?? "")
      ? client.ask("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" })
      : client.ask("Fetch.continueRequest", { requestId });
    answer.catch(() => {}); // A request that was given up meanwhile is gone.
  });
  await client.ask("Fetch.enable", { patterns: patterns[what] }).catch((error: unknown) => {
    client.close();
    throw error;
  });
  return client.close;
}

/**
 * What the browser's own session holds, it holds of documents that are loaded from then on. Those that are open are covered while
 * somebody listens on a session of theirs, to whatever.
 */
async function coverOpenPages(browser: ScriptBrowser): Promise<() => void> {
  const client = await openAsker(browser, () => {});
  const cover = async (targetId: string) => {
    const { sessionId } = await client.ask("Target.attachToTarget", { targetId, flatten: true });
    await client.ask("Fetch.enable", { patterns: [{ urlPattern: "nothing:*" }] }, sessionId);
  };
  try {
    const { targetInfos = [] } = await client.ask("Target.getTargets", { filter: [{}] });
    const open = targetInfos.filter(({ type }) => loading.has(type));
    await Promise.allSettled(open.map(({ targetId }) => cover(targetId))); // One may close meanwhile.
    return client.close;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Kinds of target that load something by themselves. */
const loading: ReadonlySet<string> = new Set(["page", "iframe", "worker", "shared_worker", "service_worker"]);

interface Answer {
  sessionId?: string;
  targetInfos?: { targetId: string; type: string }[];
}

interface Message {
  id?: number;
  error?: { message?: string };
  result?: Answer;
  method?: string;
  params?: { requestId?: string; request?: { url?: string } };
}

interface Asker {
  /** Rejects when the browser refuses, or is gone. */
  ask(method: string, params: object, sessionId?: string): Promise<Answer>;
  close(): void;
}

async function openAsker(browser: ScriptBrowser, onEvent: (event: Message) => void): Promise<Asker> {
  const asked = new Map<number, (message: Message) => void>();
  let lastId = 0;
  const client = await browser.openClient({
    message(text) {
      const message: Message = JSON.parse(text);
      if (message.id === undefined) return onEvent(message);
      asked.get(message.id)?.(message);
      asked.delete(message.id);
    },
    gone() {
      for (const settle of asked.values()) settle({ error: { message: "the browser is gone" } });
    },
  });
  return {
    async ask(method, params, sessionId) {
      lastId += 1;
      const id = lastId;
      const { error, result = {} } = await new Promise<Message>((resolve) => {
        asked.set(id, resolve);
        client.send({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
      });
      if (error !== undefined) throw new Error(error.message);
      return result;
    },
    close: () => client.close(),
  };
}
