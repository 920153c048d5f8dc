/** How replies and faults are written; the only reader of the table of fault kinds. */
import type { ServerResponse } from "node:http";
import { type Fault, faultKinds } from "../protocol/faults.ts";
import { JsonBytes, type Reply } from "./route.ts";

type Headers = Record<string, string | number>;

/** Writes a handler's reply; null is 204. */
export function respond(response: ServerResponse, status: number, reply: Reply, headers: Headers = {}): void {
  if (reply === null) {
    response.writeHead(204, { "cache-control": "no-store", ...headers }).end();
    return;
  }
  // A text leaves in one piece with the headers.
  const body = reply instanceof JsonBytes ? reply.bytes : JSON.stringify(reply);
  response
    .writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
      ...headers,
    })
    .end(body);
}

/** A fault's text with its kind's prefix (SPEC, "Errors" 2). */
export function faultText({ kind, message }: Fault): string {
  return `${faultKinds[kind].prefix}: ${message}`;
}

/** Writes a fault as `{error}` with its kind's status and prefix (SPEC, "Errors"). */
export function respondFault(response: ServerResponse, fault: Fault, headers: Headers = {}): void {
  respond(response, faultKinds[fault.kind].status, { error: faultText(fault) }, headers);
}

/** Writes a refusal without a body: nothing is told to strangers. */
export function respondEmpty(response: ServerResponse, status: 401 | 403): void {
  response.writeHead(status, { "content-length": 0, "cache-control": "no-store" }).end();
}
