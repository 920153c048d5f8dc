/** The application's own loopback listener: the control page, its session, and JSON-RPC for the command line. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "../../protocol/faults.ts";
import { isLoopbackHost } from "../../protocol/loopback-host.ts";
import { type Exchange, type Handler, type RequestLog, targetOf } from "../boundary.ts";
import { readBody } from "../gate/body.ts";
import { callRoute, type RouteContext } from "../gate/call-route.ts";
import { type Caller, checkPlan } from "../gate/invoke.ts";
import { type Listener, listen } from "../listener.ts";
import { type McpHandler, mcpPath } from "../mcp/endpoint.ts";
import { respond, respondEmpty } from "../respond.ts";
import type { EventStream } from "./events.ts";
import { type PageFile, pageFile, pageHeaders } from "./page-files.ts";
import { type Sessions, sessionHeader } from "./sessions.ts";

export interface AppListenerParts extends RouteContext {
  answerCall(call: unknown): Promise<object>;
  mcp: McpHandler;
  sessions: Sessions;
  events: EventStream;
  secret: string;
  /** Serves a GET below `/live/` whose reply is not JSON; false when the path is unknown. */
  live?(path: string, response: ServerResponse): Promise<boolean>;
  log: RequestLog;
}

const application: Caller = {
  principal: { tokenName: "application", access: "write" },
  source: "app",
  uncounted: true,
};

/** Listens on `port`, or on another if a program has taken it: an open page finds the service again after a restart. A client without the secret or a session gets the page's files and nothing else. */
export async function listenForApp(parts: AppListenerParts, port: number): Promise<Listener> {
  const handlerFor = (portNow: () => number): Handler => {
    return (exchange) => {
      const { request, response, headers } = exchange;
      if (!isLoopbackHost(request.headers.host, portNow())) return respondEmpty(response, 403);
      Object.assign(headers, pageHeaders);
      return handle(parts, { ...exchange, path: targetOf(request.url).path });
    };
  };
  return listen(port, handlerFor, parts.log).catch((error: unknown) => {
    if (port === 0) throw error;
    return listen(0, handlerFor, parts.log);
  });
}

interface Asked extends Exchange {
  path: string;
}

async function handle(parts: AppListenerParts, asked: Asked): Promise<void> {
  const { request, response, path } = asked;
  if (request.headers.authorization !== undefined) return commandLine(parts, asked);
  // The page's files are public; the data that they show needs a session.
  const file = request.method === "GET" ? await pageFile(path === "/" ? "index.html" : path.slice(1)) : null;
  if (file !== null) return sendFile(response, file);
  if (isForeign(request)) return respondEmpty(response, 403);
  if (path === "/session" && request.method === "POST") return openSession(parts, asked);
  if (!parts.sessions.isOpen(String(request.headers[sessionHeader] ?? ""))) return askForLink(response);
  return inSession(parts, asked);
}

async function commandLine(parts: AppListenerParts, asked: Asked): Promise<void> {
  const { request, response, path } = asked;
  const wanted = Buffer.from(`Bearer ${parts.secret}`);
  const given = Buffer.from(request.headers.authorization ?? "");
  if (request.headers.origin !== undefined) return respondEmpty(response, 403);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return respondEmpty(response, 401);
  if (path.startsWith("/v1/")) return callRoute(parts, asked, application);
  if (path === mcpPath) {
    checkPlan(parts.settings()); // MCP needs a plan with the API (protocol/README.md, "Authentication").
    return parts.mcp(asked, application.principal);
  }
  if (request.method !== "POST" || path !== "/rpc") {
    throw new Fault("not-found", "the command line calls POST /rpc, /v1/… and POST /mcp");
  }
  respond(response, 200, await parts.answerCall(await readBody(request)));
}

function isForeign({ headers }: IncomingMessage): boolean {
  if (headers["sec-purpose"] !== undefined) return true; // A browser loads ahead, for a page.
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}

async function openSession({ sessions }: AppListenerParts, asked: Asked): Promise<void> {
  const { key } = Object(await readBody(asked.request));
  const session = sessions.open(String(key));
  if (session === null) askForLink(asked.response);
  else respond(asked.response, 200, { session }, asked.headers);
}

function askForLink(response: ServerResponse): void {
  const text = "This link is missing or was already used. Get a new link with: troupe open\n";
  response
    .writeHead(401, {
      ...pageHeaders,
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
    })
    .end(text);
}

async function inSession(parts: AppListenerParts, asked: Asked): Promise<void> {
  const { request, response, path, headers } = asked;
  if (path.startsWith("/v1/")) return callRoute(parts, asked, application);
  if (request.method === "POST" && path === "/rpc") {
    return respond(response, 200, await parts.answerCall(await readBody(request)), headers);
  }
  if (request.method === "GET") {
    if (path === "/events") return parts.events.open(response, pageHeaders);
    if (path.startsWith("/live/") && (await parts.live?.(path, response)) === true) return;
  }
  throw new Fault("not-found", `there is no ${request.method} ${path.slice(0, 200)} in the application`);
}

function sendFile(response: ServerResponse, { type, bytes }: PageFile): void {
  const headers = { "content-type": type, "content-length": bytes.length, "cache-control": "no-cache" };
  response.writeHead(200, { ...pageHeaders, ...headers }).end(bytes);
}
