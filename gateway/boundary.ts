/** Where every request's failure ends: caught, logged and answered. Nothing that a handler does reaches the process. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, faultRecord } from "../protocol/faults.ts";
import { type Headers, respondFault } from "./respond.ts";

/** One request and its reply. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Carried by every reply that `respond` or a refusal writes to this request. */
  headers: Headers;
}

/** Answers a request, or throws the fault that answers it. */
export type Handler = (exchange: Exchange) => void | Promise<void>;

/** Headers that say who is asked and who asks: of two that differ, each reader may take another. */
const singleHeaders: readonly string[] = ["host", "authorization"];

/** Logs what was not the caller's fault, and where it happened. */
export type Failed = (error: unknown, where: { method: string | undefined; path: string }) => void;

/** The listener's function around `handler`; it never throws. */
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

/** A reply whose reader has left. */
function ignore(): void {}

async function answer(handler: Handler, exchange: Exchange): Promise<void> {
  const twice = repeatedHeader(exchange.request.rawHeaders);
  if (twice !== undefined) throw new Fault("invalid", `the header ${twice} is given twice`);
  await handler(exchange);
}

/** The first of `singleHeaders` that stands more than once among `raw`, which are names and values in turn. */
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
  // The caller left while its body was read, or while the handler worked: nobody is there to answer.
  if (response.destroyed || request.errored) return;
  if (response.headersSent) return void response.destroy();
  const fault = error instanceof Fault ? error : new Fault("internal", faultRecord(error).message);
  if (fault.kind === "wrong-method" && Array.isArray(fault.detail?.allowed)) {
    headers.allow = fault.detail.allowed.join(", ");
  }
  // What is left of an oversized body is not read: the connection cannot be used again.
  if (fault.kind === "too-large") headers.connection = "close";
  respondFault(response, fault, headers);
}

/** A request's target, which may be any text: what stands before the first `?`, and what stands after it. */
export function targetOf(url = "/"): { path: string; query: string } {
  const queryAt = url.indexOf("?");
  return queryAt < 0
    ? { path: url, query: "" }
    : { path: url.slice(0, queryAt), query: url.slice(queryAt + 1) };
}
