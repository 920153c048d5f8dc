/** Bodies that come too slowly, whoever sends them: each is answered 408, so that nobody holds a connection for nothing. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "../protocol/faults.ts";
import { respondFault } from "./respond.ts";

/** How long a caller may take. */
export interface Patience {
  /** Until the headers are whole. */
  headersMs: number;
  /** In each such time at least so many bytes of a body have to come. */
  bodyWindowMs: number;
  bodyBytesMin: number;
  /** How often it is looked at. */
  lookMs: number;
}

interface Sender {
  request: IncomingMessage;
  response: ServerResponse;
  sinceMs: number;
  bytesBefore: number;
}

export interface SlowBodies {
  /** Follows the body of this request, if it has one. */
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
    // A body that we do not read at the moment is late by our own doing.
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
    const words = `the body must come with at least ${bodyBytesMin} bytes in ${bodyWindowMs / 1000} s`;
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
