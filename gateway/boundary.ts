/** Catches, logs and answers whatever a request handler throws. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, faultRecord } from "../protocol/faults.ts";
import { type Headers, respondFault } from "./respond.ts";

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Added to every reply to this request. */
  headers: Headers;
}

export type Handler = (exchange: Exchange) => void | Promise<void>;

/** If one of these came twice, two readers could take different values. */
const singleHeaders: readonly string[] = ["host", "authorization"];

/** Logs errors that are not the caller's fault. */
export type Failed = (error: unknown, where: { method: string | undefined; path: string }) => void;

export function bounded(
  handler: Handler,
  failed: Failed,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const exchange: Exchange = { request, response, headers: {} };
    response.on("error", ignore);
    answer(handler, exchange).catch((error: unknown) => refuse(exchange, error, failed));
  };
}

/** The caller has disconnected. */
function ignore(): void {}

async function answer(handler: Handler, exchange: Exchange): Promise<void> {
  const twice = repeatedHeader(exchange.request.rawHeaders);
  if (twice !== undefined) throw new Fault("invalid", `the header ${twice} is given twice`);
  await handler(exchange);
}

/** `raw` has names and values in turn. */
function repeatedHeader(raw: readonly string[]): string | undefined {
  return singleHeaders.find((wanted) => {
    let count = 0;
    for (let at = 0; at < raw.length; at += 2) {
      const name = raw[at];
      if (name?.length === wanted.length && name.toLowerCase() === wanted) count += 1;
    }
    return count > 1;
  });
}

function refuse({ request, response, headers }: Exchange, error: unknown, failed: Failed): void {
  if (!(error instanceof Fault) && !request.errored)
    failed(error, { method: request.method, path: targetOf(request.url).path.slice(0, 200) });
  // The caller has disconnected.
  if (response.destroyed || request.errored) return;
  if (response.headersSent) return void response.destroy();
  const fault = error instanceof Fault ? error : new Fault("internal", faultRecord(error).message);
  if (fault.kind === "wrong-method" && Array.isArray(fault.detail?.allowed)) {
    headers.allow = fault.detail.allowed.join(", ");
  }
  // The rest of an oversized body stays unread, so the connection cannot be reused.
  if (fault.kind === "too-large") headers.connection = "close";
  respondFault(response, fault, headers);
}

/** Splits a request's target at the first `?`. A target is any text, so it is not parsed as a URL. */
export function targetOf(url = "/"): { path: string; query: string } {
  const queryAt = url.indexOf("?");
  return queryAt < 0
    ? { path: url, query: "" }
    : { path: url.slice(0, queryAt), query: url.slice(queryAt + 1) };
}
