/** The connection of one run's script to its browser. A policy judges every message of the script first. */

/** A message that the policy allows, as parsed. */
export interface RelayedMessage {
  id: number;
  method: string;
  [key: string]: unknown;
}

/** `forward` goes to the browser, `reply` goes back to the script instead. */
export type Judgement = { forward: RelayedMessage } | { reply: string };

/** Judges a script's messages, from what its browser has sent so far. */
export interface Policy {
  judge(text: string): Judgement;
  hear(text: string): void;
}

export interface BrowserClient {
  send(message: RelayedMessage): void;
  close(): void;
}

/** A running browser, as the scripts of its profile use it. */
export interface ScriptBrowser {
  /** Such as `http://127.0.0.1:9222`. An approved script receives it; no script's page may open it. */
  cdpUrl: string;
  /** Attaches a client that sees the whole browser. Rejects when the browser has ended. */
  openClient(listener: { message(text: string): void; gone(): void }): Promise<BrowserClient>;
  backlog(): number;
  drained(): Promise<void>;
  /** Resolves when every present target has the profile's values. No script may resume a target earlier. */
  settled(): Promise<void>;
  /** Fails the requests that `refused` refuses, until the returned function runs. Only where documents are paused anyway, because pausing slows loads. */
  guardRequests?(what: GuardedKind, refused: (url: string) => boolean): Promise<() => void>;
}

/** The requests of pages that are checked. */
export type GuardedKind = "documents" | "all";

export interface Relay {
  send(text: string): void;
  close(): void;
}

export interface RelayOptions {
  browser: ScriptBrowser;
  policy: Policy;
  onMessage: (text: string) => void;
  /** True when the browser reads slower than the script writes; false when it has caught up. */
  onCongestion: (congested: boolean) => void;
  onClose: () => void;
  onFault: (error: unknown) => void;
}

/** Bytes that may wait for the browser before the script is paused. */
const backlogBytesMax = 8 * 1024 ** 2;

const goOn = "Runtime.runIfWaitingForDebugger";

/** A script's unfinished downloads. They are cancelled with the run, or they would go on filling the disk. */
function createDownloads() {
  const going = new Set<string>();
  return {
    /** Adds events to the script's call. The older method has none, so it becomes the newer one. */
    heard: (message: RelayedMessage): RelayedMessage =>
      /^(Browser|Page)\.setDownloadBehavior$/.test(message.method)
        ? {
            ...message,
            method: "Browser.setDownloadBehavior",
            params: { ...Object(message.params), eventsEnabled: true },
          }
        : message,
    /** Relies on Chromium writing the method's name first. */
    see(text: string) {
      if (!text.startsWith('{"method":"Browser.download')) return;
      const { method, params } = JSON.parse(text);
      if (method === "Browser.downloadWillBegin") going.add(params.guid);
      else if (params.state !== "inProgress") going.delete(params.guid);
    },
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
  // Keep the order: messages after a waiting one wait too.
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
