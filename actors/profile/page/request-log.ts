/** The requests of the profile's tabs, from the browser's own reports, which pages cannot see. */
import type { NetworkRequest } from "../../../protocol/verbs/network.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";
import { Sequence } from "./sequence.ts";
import { everySession } from "./tab-sessions.ts";
import type { Tabs } from "./tabs.ts";

const requestsMax = 1_000;
const urlChars = 2_000;

interface Going {
  request: NetworkRequest;
  /** Monotonic seconds. */
  began: number;
}

export class RequestLog {
  readonly log = new Sequence<NetworkRequest>(requestsMax);
  readonly #tabs: Tabs;
  readonly #going = new Map<string, Going>();
  #begun = false;

  constructor(tabs: Tabs) {
    this.#tabs = tabs;
  }

  /** From the first call on, in each tab that is there or opens later. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    for (const followed of everySession(this.#tabs, (session, tab) => this.#follow(session, tab.targetId)))
      followed.catch(() => {}); // The session has closed.
  }

  async #follow(session: CdpSession, tabId: string): Promise<void> {
    session.on("Network.requestWillBeSent", (event) => this.#sent(event, tabId));
    session.on("Network.responseReceived", ({ requestId, response }) => {
      this.#update(requestId, (request) => answered(request, response));
    });
    session.on("Network.requestServedFromCache", ({ requestId }) => {
      this.#update(requestId, (request) => {
        request.from_cache = true;
      });
    });
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength, timestamp }) => {
      this.#end(requestId, timestamp, (request) => {
        request.bytes = encodedDataLength;
      });
    });
    session.on("Network.loadingFailed", ({ requestId, errorText, timestamp, blockedReason }) => {
      this.#end(requestId, timestamp, (request) => {
        request.error = blockedReason === undefined ? errorText : `${errorText} (${blockedReason})`;
      });
    });
    session.on("Network.webSocketCreated", ({ requestId, url }) => {
      this.#add(requestId, { tabId, url, method: "GET", type: "websocket", began: Number.NaN });
    });
    session.on("Network.webSocketHandshakeResponseReceived", ({ requestId, response }) => {
      this.#update(requestId, (request) => {
        request.status = response.status;
      });
    });
    session.on("Network.webSocketFrameError", ({ requestId, errorMessage }) => {
      this.#update(requestId, (request) => {
        request.error = errorMessage;
      });
    });
    session.on("Network.webSocketClosed", ({ requestId }) => this.#going.delete(requestId));
    // Without bodies, which would fill the browser's memory.
    await session.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  }

  #sent(event: Protocol.Network.RequestWillBeSentEvent, tabId: string): void {
    const { requestId, request, redirectResponse, type, timestamp, wallTime } = event;
    if (request.url.startsWith("data:")) return;
    if (redirectResponse !== undefined)
      this.#end(requestId, timestamp, (before) => {
        answered(before, redirectResponse);
        before.bytes = redirectResponse.encodedDataLength;
      });
    const { url, method } = request;
    this.#add(requestId, { tabId, url, method, type: type ?? "other", began: timestamp }, wallTime * 1_000);
  }

  #add(
    requestId: string,
    {
      tabId,
      url,
      method,
      type,
      began,
    }: { tabId: string; url: string; method: string; type: string; began: number },
    at = Date.now(),
  ): void {
    const request: NetworkRequest = {
      tab_id: tabId,
      started_at: new Date(at).toISOString(),
      method,
      url: shown(url),
      type: wordOf(type),
    };
    this.#going.set(requestId, { request, began });
    const [oldest] = this.#going.keys();
    if (this.#going.size > requestsMax && oldest !== undefined) this.#going.delete(oldest);
    this.log.note(request);
  }

  #update(requestId: string, change: (request: NetworkRequest) => void): void {
    const going = this.#going.get(requestId);
    if (going === undefined) return;
    change(going.request);
    this.log.note(going.request);
  }

  #end(requestId: string, timestamp: number, change: (request: NetworkRequest) => void): void {
    const going = this.#going.get(requestId);
    if (going === undefined) return;
    this.#going.delete(requestId);
    going.request.duration_ms = Math.max(0, Math.round((timestamp - going.began) * 1_000));
    change(going.request);
    this.log.note(going.request);
  }
}

function answered(request: NetworkRequest, response: Protocol.Network.Response): void {
  request.status = response.status;
  request.mime_type = response.mimeType;
  if (response.fromDiskCache === true) request.from_cache = true;
}

const words = new Set(
  "document stylesheet image media font script xhr fetch eventsource websocket".split(" "),
);
function wordOf(type: string): string {
  const word = type.toLowerCase();
  return words.has(word) ? word : "other";
}

/** Without name and password. */
function shown(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, "$1").slice(0, urlChars);
}
