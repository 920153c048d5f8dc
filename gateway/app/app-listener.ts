/** The application's own loopback listener: JSON-RPC for the command line, and the control page with its session. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { readBody } from "../gate/body.ts";
import { isLoopbackHost } from "../gate/host-check.ts";
import { checkPlan, type InvokeContext, invoke } from "../gate/invoke.ts";
import { queryValues } from "../gate/shapes.ts";
import { type Listener, listen } from "../listener.ts";
import { type McpHandler, mcpPath } from "../mcp/endpoint.ts";
import { respond, respondEmpty, respondFault } from "../respond.ts";
import type { Principal } from "../route.ts";
import type { Match } from "../router.ts";
import type { EventStream } from "./events.ts";
import { pageFile, pageHeaders } from "./page-files.ts";
import type { Session, Sessions } from "./session.ts";

export interface AppListenerParts extends InvokeContext {
  /** Answers one JSON-RPC call of AppApi. */
  answerCall(call: unknown): Promise<object>;
  find(method: string, path: string): Match;
  mcp: McpHandler;
  sessions: Sessions;
  events: EventStream;
  /** Of the command line. */
  secret: string;
  /** Answers a GET below `/live/` that is not JSON; false when there is nothing at this path. */
  live?(path: string, response: ServerResponse): Promise<boolean>;
  /** Something that was not the caller's fault. */
  failed(error: unknown): void;
}

/** The user, who holds no token. */
const application: Principal = { tokenName: "application", access: "write" };

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  port: number;
}

/** Listens on a free port. Who has neither the secret nor a session gets nothing; nobody from another origin does. */
export async function listenForApp(parts: AppListenerParts): Promise<Listener> {
  return listen(0, (port) => (request, response) => {
    if (!isLoopbackHost(request.headers.host, port())) return respondEmpty(response, 403);
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const asked = { request, response, path: url.pathname, query: url.searchParams, port: port() };
    handle(parts, asked).catch((error: unknown) => {
      if (!(error instanceof Fault)) parts.failed(error);
      if (response.headersSent || response.destroyed) return void response.destroy();
      respondFault(
        response,
        error instanceof Fault ? error : new Fault("internal", faultRecord(error).message),
        pageHeaders,
      );
    });
  });
}

async function handle(parts: AppListenerParts, asked: Asked): Promise<void> {
  const { request, response, path } = asked;
  if (request.headers.authorization !== undefined) return commandLine(parts, asked);
  if (path === "/open" && request.method === "GET") return openSession(parts, asked);
  if (isForeign(request)) return respondEmpty(response, 403);
  const session = parts.sessions.of(request, asked.port);
  if (session === null) return askForLink(response);
  if (request.method === "POST" && !parts.sessions.isOwn(request, session)) {
    throw new Fault("forbidden", "a write needs the page's own token in x-troupe-csrf; load the page again");
  }
  return inSession(parts, asked, session);
}

/** Who holds the instance's secret is the user: all that the application does, every operation of the API, and MCP. */
async function commandLine(parts: AppListenerParts, asked: Asked): Promise<void> {
  const { request, response, path } = asked;
  const wanted = Buffer.from(`Bearer ${parts.secret}`);
  const given = Buffer.from(request.headers.authorization ?? "");
  if (request.headers.origin !== undefined) return respondEmpty(response, 403);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return respondEmpty(response, 401);
  if (path.startsWith("/v1/")) return callRoute(parts, asked);
  if (path === mcpPath) {
    checkPlan(parts.settings()); // MCP is the API by another name (protocol/README.md, "Authentication" 3).
    return parts.mcp(request, response, application);
  }
  if (request.method !== "POST" || path !== "/rpc") {
    throw new Fault("not-found", "the command line calls POST /rpc, /v1/… and POST /mcp");
  }
  respond(response, 200, await parts.answerCall(await readBody(request)));
}

/** Whether a page of another origin is behind the request: browsers say so in either of these headers. */
function isForeign({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}

/** The one-time link: a cookie for its bearer, and on to the page. */
function openSession({ sessions }: AppListenerParts, { response, query, port }: Asked): void {
  const cookie = sessions.open(query.get("key") ?? "", port);
  if (cookie === null) askForLink(response);
  else {
    const headers = { ...pageHeaders, "set-cookie": cookie, location: "/", "cache-control": "no-store" };
    response.writeHead(303, headers).end();
  }
}

function askForLink(response: ServerResponse): void {
  const text = "This link has been used, or there is none. Get a new one with: troupe open\n";
  response
    .writeHead(401, {
      ...pageHeaders,
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
    })
    .end(text);
}

async function inSession(parts: AppListenerParts, asked: Asked, session: Session): Promise<void> {
  const { request, response, path } = asked;
  if (path.startsWith("/v1/")) return callRoute(parts, asked);
  if (request.method === "POST" && path === "/rpc") {
    return respond(response, 200, await parts.answerCall(await readBody(request)), pageHeaders);
  }
  if (request.method !== "GET") throw new Fault("not-found", `there is no ${request.method} ${path}`);
  if (path === "/session") return respond(response, 200, { csrf: session.csrf }, pageHeaders);
  if (path === "/events") return parts.events.open(response, pageHeaders);
  if (path.startsWith("/live/") && (await parts.live?.(path, response)) === true) return;
  const file = await pageFile(path === "/" ? "index.html" : path.slice(1));
  if (file === null) throw new Fault("not-found", `there is no ${path.slice(0, 200)} in the application`);
  response
    .writeHead(200, {
      ...pageHeaders,
      "content-type": file.type,
      "content-length": file.bytes.length,
      "cache-control": "no-cache",
    })
    .end(file.bytes);
}

/** An operation of the API, by the user's own hand: same checks, no token and no budget. */
async function callRoute(parts: AppListenerParts, { request, response, path, query }: Asked): Promise<void> {
  const { route, params } = parts.find(request.method ?? "GET", path);
  const given = {
    params,
    query: () => queryValues(route, query),
    body: async () => (route.method === "GET" ? undefined : await readBody(request)),
    idempotencyKey: request.headers["idempotency-key"],
  };
  const caller = {
    principal: application,
    source: "app" as const,
    uncounted: true as const,
  };
  respond(response, route.reply.status, await invoke(parts, route, given, caller, {}), pageHeaders);
}
