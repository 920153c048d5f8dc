/** Answers 408 to request bodies that come too slowly, so that they do not block connections. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "../protocol/faults.ts";
import { respondFault } from "./respond.ts";

export interface Patience {
  headersMs: number;
  /** A body must bring `bodyBytesMin` in each window. */
  bodyWindowMs: number;
  bodyBytesMin: number;
  lookMs: number;
}

interface Sender {
  request: IncomingMessage;
  response: ServerResponse;
  sinceMs: number;
  bytesBefore: number;
}

export interface SlowBodies {
  follow(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
}

export function watchSlowBodies({ bodyWindowMs, bodyBytesMin, lookMs }: Patience): SlowBodies {
  /** By connection, so that many quick requests on one are one entry. */
  const senders = new Map<Socket, Sender>();
  const look = () => {
    const nowMs = performance.now();
    for (const [socket, sender] of senders) {
      if (sender.request.complete || socket.destroyed) senders.delete(socket);
      else if (nowMs - sender.sinceMs >= bodyWindowMs) judge(socket, sender, nowMs);
    }
  };
  const judge = (socket: Socket, sender: Sender, nowMs: number) => {
    const came = socket.bytesRead - sender.bytesBefore;
    // A body that the service has paused is not late.
    if (came >= bodyBytesMin || sender.request.readableFlowing !== true) {
      sender.sinceMs = nowMs;
      sender.bytesBefore = socket.bytesRead;
      return;
    }
    senders.delete(socket);
    dismiss(sender);
  };
  const dismiss = ({ request, response }: Sender) => {
    if (response.headersSent) return void request.destroy();
    const words = `the body must arrive with at least ${bodyBytesMin} bytes in ${bodyWindowMs / 1000} s`;
    respondFault(response, new Fault("too-slow", words), { connection: "close" });
  };
  const timer = setInterval(look, lookMs).unref();
  return {
    follow(request, response) {
      const { headers, socket } = request;
      if (headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0) return;
      senders.set(socket, {
        request,
        response,
        sinceMs: performance.now(),
        bytesBefore: socket.bytesRead,
      });
    },
    close() {
      clearInterval(timer);
      senders.clear();
    },
  };
}
