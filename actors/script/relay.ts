/** One WebSocket to the browser's DevTools endpoint, for one run; every message of the script passes a judge first. */
import http from "node:http";
import { limits } from "../../protocol/limits.ts";
import { parsedObject } from "./messages.ts";

/** What becomes of a message: `forward` goes to the browser, `reply` goes back to the script instead. */
export type Judgement = { forward: string } | { reply: string };

export interface Relay {
  /** A message of the script. */
  send(text: string): void;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface RelayOptions {
  /** Such as `http://127.0.0.1:9222`. */
  cdpHttpUrl: string;
  judge: (text: string) => Judgement;
  onMessage: (text: string) => void;
  /** The browser reads slower than the script writes (true), or has caught up (false). */
  onCongestion: (congested: boolean) => void;
  /** The browser closed the connection. */
  onClose: () => void;
}

/** A living browser answers at once. */
const answerTimeoutMs = 5_000;

/** What may wait for the browser before the script is held back. */
const bufferedBytesMax = 8 * 1024 ** 2;

/** Dials the browser. Rejects when it does not answer. */
export async function openRelay({
  cdpHttpUrl,
  judge,
  onMessage,
  onCongestion,
  onClose,
}: RelayOptions): Promise<Relay> {
  // Loaded at first use: a profile thread must not pay for it at its start.
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(await debuggerUrl(cdpHttpUrl), {
    perMessageDeflate: false,
    handshakeTimeout: answerTimeoutMs,
    maxPayload: limits.scriptIpcMessageBytesMax,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("message", (data: Buffer) => onMessage(data.toString()));
  socket.on("close", onClose);
  socket.on("error", () => socket.terminate());
  let congested = false;
  const forward = (text: string) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text, () => {
      if (!congested || socket.bufferedAmount > 0) return;
      congested = false;
      onCongestion(false);
    });
    if (congested || socket.bufferedAmount < bufferedBytesMax) return;
    congested = true;
    onCongestion(true);
  };
  return {
    send: (text) => {
      const judgement = judge(text);
      if ("reply" in judgement) onMessage(judgement.reply);
      else forward(judgement.forward);
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => {
      socket.off("close", onClose);
      socket.close();
      // The browser may be frozen; nothing waits for its farewell.
      socket.terminate();
    },
  };
}

/** Asks `/json/version`; plain HTTP, since the first use of fetch costs tens of milliseconds. */
function debuggerUrl(cdpHttpUrl: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(
      new URL("/json/version", cdpHttpUrl),
      { timeout: answerTimeoutMs, agent: false },
      (reply) => {
        let body = "";
        reply.setEncoding("utf8");
        reply.on("data", (part: string) => {
          body += part;
        });
        reply.on("end", () => {
          const url = parsedObject(body)?.webSocketDebuggerUrl;
          if (typeof url === "string") resolve(url);
          else reject(new Error("the browser named no webSocketDebuggerUrl"));
        });
      },
    );
    request.on("timeout", () =>
      request.destroy(new Error("the browser did not answer on its debugging port")),
    );
    request.on("error", reject);
  });
}
