/** Keeps pages of scripts from forbidden addresses of this machine, since the CDP policy cannot see where a page navigates by itself. */
import { Fault } from "../../protocol/faults.ts";
import type { GuardedKind, ScriptBrowser } from "../script/relay.ts";
import { within } from "./within.ts";

/** A working browser answers at once, even for busy tabs. */
const answerMs = 5_000;

export interface PageGuard {
  close(): void;
}

export interface PageGuardOptions {
  browser: ScriptBrowser;
  /** `all` also checks what a page fetches: it may not see the answer, but the request has an effect. */
  what: GuardedKind;
  refusal(url: string): string | null;
  onRefused(url: string, reason: string): void;
}

/** All addresses match: only `refusal` knows the names of this machine. */
const patterns = {
  documents: [{ urlPattern: "*", resourceType: "Document" }],
  all: [{ urlPattern: "*" }],
} satisfies Record<GuardedKind, object[]>;

/** Guards every tab and frame, later ones included, once this resolves. Rejects when the browser does not answer. */
export async function openPageGuard({
  browser,
  what,
  refusal,
  onRefused,
}: PageGuardOptions): Promise<PageGuard> {
  // Other schemes, such as the browser's own pages, use no port.
  const reasonOf = (url: string) => (/^https?:/.test(url) ? refusal(url) : null);
  const refused = (url: string) => {
    const reason = reasonOf(url);
    if (reason !== null) onRefused(url, reason);
    return reason !== null;
  };
  const beginning = begin(browser, what, { refused, isRefused: (url) => reasonOf(url) !== null });
  const begun = await within(beginning, answerMs);
  if (begun !== null) return { close: begun.value };
  beginning.then(
    (end) => end(),
    () => {}, // The error below reports it.
  );
  throw new Error(`the browser did not answer within ${answerMs} ms`);
}

async function begin(
  browser: ScriptBrowser,
  what: GuardedKind,
  { refused, isRefused }: { refused: (url: string) => boolean; isRefused: (url: string) => boolean },
): Promise<() => void> {
  const end = await (browser.guardRequests?.(what, refused) ?? guardByClient(browser, what, refused));
  if (what === "documents") return end;
  try {
    const uncover = await coverOpenPages(browser, isRefused);
    return () => {
      uncover();
      end();
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** `guardRequests` through a client of our own, for a browser that has none. */
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
    answer.catch(() => {}); // The request may have been cancelled.
  });
  await client.ask("Fetch.enable", { patterns: patterns[what] }).catch((error: unknown) => {
    client.close();
    throw error;
  });
  return client.close;
}

/** The guard covers documents loaded from now on. A Fetch listener on a session of an open document makes the guard cover it too. */
async function coverOpenPages(
  browser: ScriptBrowser,
  isRefused: (url: string) => boolean,
): Promise<() => void> {
  const client = await openAsker(browser, () => {});
  const cover = async ({ targetId, url }: Target) => {
    const { sessionId } = await client.ask("Target.attachToTarget", { targetId, flatten: true });
    await client.ask("Fetch.enable", { patterns: [{ urlPattern: "nothing:*" }] }, sessionId);
    if (!isRefused(url)) return;
    const { frameTree } = await client.ask("Page.getFrameTree", {}, sessionId);
    // The browser's error page for a refused address shows nothing of it.
    if (frameTree?.frame.unreachableUrl === undefined) shown.push(url);
  };
  const shown: string[] = [];
  try {
    const { targetInfos = [] } = await client.ask("Target.getTargets", { filter: [{}] });
    const open = targetInfos.filter(({ type }) => loading.has(type));
    await Promise.allSettled(open.map(cover)); // A target may close meanwhile.
    if (shown[0] !== undefined)
      throw new Fault(
        "conflict",
        `the profile shows ${shown[0].slice(0, 200)}, which the script may not open; close that page, or approve the script`,
      );
    return client.close;
  } catch (error) {
    client.close();
    throw error;
  }
}

const loading: ReadonlySet<string> = new Set(["page", "iframe", "worker", "shared_worker", "service_worker"]);

interface Answer {
  sessionId?: string;
  targetInfos?: Target[];
  frameTree?: { frame: { unreachableUrl?: string } };
}

interface Target {
  targetId: string;
  type: string;
  url: string;
}

interface Message {
  id?: number;
  error?: { message?: string };
  result?: Answer;
  method?: string;
  params?: { requestId?: string; request?: { url?: string } };
}

interface Asker {
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
      for (const settle of asked.values()) settle({ error: { message: "the browser has ended" } });
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
