/** Gives each request its id, and catches, logs and answers whatever its handler throws. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../actors/kernel/log.ts";
import { levelOf } from "../actors/kernel/log-levels.ts";
import { alongTrail, followsCalls } from "../actors/kernel/trail.ts";
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

/** Gets errors that are not the caller's fault, and at level debug each request. */
export type RequestLog = Pick<Log, "debug" | "error">;

/** Ids of this process begin alike, so that one in a bug report is found in the right log. */
const idsBegin = randomBytes(3).toString("hex");
let requests = 0;

function nextId(): string {
  requests += 1;
  return `${idsBegin}-${requests.toString(36)}`;
}

export function bounded(
  handler: Handler,
  log: RequestLog,
): (request: IncomingMessage, response: ServerResponse) => void {
  const isDebug = levelOf("gateway") === "debug";
  const follows = followsCalls();
  return (request, response) => {
    const id = nextId();
    const exchange: Exchange = { request, response, headers: { "x-request-id": id } };
    response.on("error", ignore);
    if (isDebug) noteEnd(exchange, log);
    const begin = () => {
      answer(handler, exchange).catch((error: unknown) => refuse(exchange, error, log));
    };
    if (follows) alongTrail({ request: id }, begin);
    else begin();
  };
}

/** Without the query, which callers fill. */
function whereOf({ method, url }: IncomingMessage): { method: string | undefined; path: string } {
  return { method, path: targetOf(url).path.slice(0, 200) };
}

function noteEnd({ request, response, headers }: Exchange, log: RequestLog): void {
  const startedAt = performance.now();
  response.once("close", () => {
    const ms = Math.round(performance.now() - startedAt);
    const id = headers["x-request-id"]; // The connection's events are on no trail.
    log.debug("a request ended", { ...whereOf(request), status: response.statusCode, ms, request: id });
  });
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

function refuse({ request, response, headers }: Exchange, error: unknown, log: RequestLog): void {
  if (!(error instanceof Fault) && !request.errored)
    log.error("a call failed", { ...whereOf(request), request: headers["x-request-id"], error });
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
