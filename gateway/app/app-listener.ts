/** The application's own loopback listener: JSON-RPC for the command line, and the control page with its session. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "../../protocol/faults.ts";
import { type Exchange, type Failed, type Handler, targetOf } from "../boundary.ts";
import { readBody } from "../gate/body.ts";
import { callRoute, type RouteContext } from "../gate/call-route.ts";
import { isLoopbackHost } from "../gate/host-check.ts";
import { type Caller, checkPlan } from "../gate/invoke.ts";
import { type Listener, listen } from "../listener.ts";
import { type McpHandler, mcpPath } from "../mcp/endpoint.ts";
import { respond, respondEmpty } from "../respond.ts";
import type { EventStream } from "./events.ts";
import { pageFile, pageHeaders } from "./page-files.ts";
import type { Session, Sessions } from "./session.ts";

export interface AppListenerParts extends RouteContext {
  /** Answers one JSON-RPC call of AppApi. */
  answerCall(call: unknown): Promise<object>;
  mcp: McpHandler;
  sessions: Sessions;
  events: EventStream;
  /** Of the command line. */
  secret: string;
  /** Answers a GET below `/live/` that is not JSON; false when there is nothing at this path. */
  live?(path: string, response: ServerResponse): Promise<boolean>;
  failed: Failed;
}

/** The user's own hand: no token and no budget. */
const application: Caller = {
  principal: { tokenName: "application", access: "write" },
  source: "app",
  uncounted: true,
};

/** Listens on a free port. Who has neither the secret nor a session gets nothing; nobody from another origin does. */
export async function listenForApp(parts: AppListenerParts): Promise<Listener> {
  const handlerFor = (port: () => number): Handler => {
    return (exchange) => {
      const { request, response, headers } = exchange;
      if (!isLoopbackHost(request.headers.host, port())) return respondEmpty(response, 403);
      Object.assign(headers, pageHeaders);
      const { path, query } = targetOf(request.url);
      return handle(parts, { ...exchange, path, query, port: port() });
    };
  };
  return listen(0, handlerFor, parts.failed);
}

interface Asked extends Exchange {
  path: string;
  query: string;
  port: number;
}

function handle(parts: AppListenerParts, asked: Asked): void | Promise<void> {
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
  if (path.startsWith("/v1/")) return callRoute(parts, asked, application);
  if (path === mcpPath) {
    checkPlan(parts.settings()); // MCP is the API by another name (protocol/README.md, "Authentication" 3).
    return parts.mcp(asked, application.principal);
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
  const cookie = sessions.open(new URLSearchParams(query).get("key") ?? "", port);
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
  if (path.startsWith("/v1/")) return callRoute(parts, asked, application);
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
