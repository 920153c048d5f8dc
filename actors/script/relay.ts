/** A script's way to its browser, for one run; every message of the script passes a judge first. */

/** A message that a judge has let through, as it was parsed. */
export interface RelayedMessage {
  id: number;
  method: string;
  [key: string]: unknown;
}

/** What becomes of a message: `forward` goes to the browser, `reply` goes back to the script instead. */
export type Judgement = { forward: RelayedMessage } | { reply: string };

/** Judges what a script says, by what its browser has said to it. */
export interface Policy {
  judge(text: string): Judgement;
  hear(text: string): void;
}

/** One client of the browser. */
export interface BrowserClient {
  send(message: RelayedMessage): void;
  close(): void;
}

/** A running browser, as the scripts of its profile reach it. */
export interface ScriptBrowser {
  /** Such as `http://127.0.0.1:9222`: what an approved script is told, and no script's page may open. */
  cdpUrl: string;
  /** Attaches a client that sees the whole browser. Rejects when the browser is gone. */
  openClient(listener: { message(text: string): void; gone(): void }): Promise<BrowserClient>;
  /** Bytes that the browser has not read yet. */
  backlog(): number;
  /** Resolves when it has read them. */
  drained(): Promise<void>;
  /** Resolves when every target that is there has the profile's values; no script may let one go before. */
  settled(): Promise<void>;
  /**
   * Asks `refused` about each address before a document, or anything at all, is loaded from it, in every tab and frame; what it refuses
   * fails. Settles when that holds, with what ends it. Only where the browser holds documents already for the profile's values: a request
   * that is held by two costs the second hold as well.
   */
  guardRequests?(what: GuardedKind, refused: (url: string) => boolean): Promise<() => void>;
}

/** Which requests of pages are asked about. */
export type GuardedKind = "documents" | "all";

export interface Relay {
  /** A message of the script. */
  send(text: string): void;
  close(): void;
}

export interface RelayOptions {
  browser: ScriptBrowser;
  policy: Policy;
  onMessage: (text: string) => void;
  /** The browser reads slower than the script writes (true), or has caught up (false). */
  onCongestion: (congested: boolean) => void;
  /** The browser is gone. */
  onClose: () => void;
  /** A message could not be sent on. */
  onFault: (error: unknown) => void;
}

/** What may wait for the browser before the script is held back. */
const backlogBytesMax = 8 * 1024 ** 2;

/** The word that lets go of a target which was held when it began. */
const goOn = "Runtime.runIfWaitingForDebugger";

/** Downloads that a script has begun: what it leaves unfinished would go on filling the disk after its run. */
function createDownloads() {
  const going = new Set<string>();
  return {
    /** The same wish with word of each download; the older method, which gives none, as the newer one. */
    heard: (message: RelayedMessage): RelayedMessage =>
      /^(Browser|Page)\.setDownloadBehavior$/.test(message.method)
        ? {
            ...message,
            method: "Browser.setDownloadBehavior",
            params: { ...Object(message.params), eventsEnabled: true },
          }
        : message,
    /** Chromium's events begin with their name. */
    see(text: string) {
      if (!text.startsWith('{"method":"Browser.download')) return;
      const { method, params } = JSON.parse(text);
      if (method === "Browser.downloadWillBegin") going.add(params.guid);
      else if (params.state !== "inProgress") going.delete(params.guid);
    },
    /** Calls that end them. */
    ends: (): RelayedMessage[] =>
      [...going].map((guid, index) => ({
        id: index + 1,
        method: "Browser.cancelDownload",
        params: { guid },
      })),
  };
}

/** Attaches to the browser. Rejects when it does not answer. */
export async function openRelay({
  browser,
  policy,
  onMessage,
  onCongestion,
  onClose,
  onFault,
}: RelayOptions): Promise<Relay> {
  const downloads = createDownloads();
  const client = await browser.openClient({
    message: (text) => {
      downloads.see(text);
      policy.hear(text);
      onMessage(text);
    },
    gone: onClose,
  });
  let open = true;
  let congested = false;
  const forward = (message: RelayedMessage) => {
    if (!open) return;
    client.send(message);
    if (congested || browser.backlog() < backlogBytesMax) return;
    congested = true;
    onCongestion(true);
    const readAgain = () => {
      congested = false;
      onCongestion(false);
    };
    browser.drained().then(readAgain, readAgain);
  };
  // In order: what comes after a word that waits, waits too.
  let held = 0;
  let turn = Promise.resolve();
  const pass = (message: RelayedMessage) => {
    const waits = message.method === goOn;
    if (held === 0 && !waits) return forward(message);
    held += 1;
    turn = turn
      .then(() => (waits ? browser.settled() : undefined))
      .then(() => {
        held -= 1;
        forward(message);
      })
      .catch(onFault);
  };
  return {
    send: (text) => {
      const judgement = policy.judge(text);
      if ("reply" in judgement) onMessage(judgement.reply);
      else pass(downloads.heard(judgement.forward));
    },
    close: () => {
      open = false;
      for (const end of downloads.ends()) client.send(end);
      client.close();
    },
  };
}
