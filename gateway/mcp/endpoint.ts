/** `POST /mcp` on the API's listener, with the tokens, plan, budget and faults of REST. */
import { readFile, rm, stat } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import { type Exchange, targetOf } from "../boundary.ts";
import { readJsonBytes } from "../gate/body.ts";
import { type InvokeContext, invoke } from "../gate/invoke.ts";
import { type Headers, respondEmpty, whenGone } from "../respond.ts";
import {
  type Call,
  EventReply,
  FileBody,
  JsonBytes,
  Media,
  type Principal,
  type Reply,
  type Route,
  TextStream,
} from "../route.ts";
import { faultWords, replyText } from "./mark.ts";
import { type CallToolResult, createMcpEndpoint, type McpEndpoint, type ToolHost } from "./sdk.ts";
import { type McpTool, partsOf, type ToolSet, toolsFor, toolsOf } from "./tools.ts";

export const mcpPath = "/mcp";

/** Methods that the SDK answers, even if only to refuse them. */
const methods = ["POST", "GET", "DELETE"];

export interface McpContext extends InvokeContext {
  routes: readonly Route[];
  version: string;
  failed(error: unknown): void;
}

export type McpHandler = (exchange: Exchange, principal: Principal) => Promise<void>;

export function createMcpHandler(context: McpContext): McpHandler {
  const tools = toolsOf(context.routes);
  let endpoint: Promise<McpEndpoint> | null = null;
  return async ({ request, response }, principal) => {
    // Web pages may not call, whatever token they have (gateway/README.md, "MCP").
    if (request.headers.origin !== undefined) return respondEmpty(response, 403);
    const set = new URLSearchParams(targetOf(request.url).query).get("profile") ?? "all";
    if (set !== "all" && set !== "core") {
      throw new Fault("invalid", `profile must be all or core, got ${set.slice(0, 80)}`);
    }
    const { method = "" } = request;
    if (!methods.includes(method)) {
      throw new Fault("wrong-method", `${mcpPath} is called with POST, not ${method}`, { allowed: ["POST"] });
    }
    endpoint ??= createMcpEndpoint(context.version, limits.bodyBytesMax, context.failed);
    const left = new AbortController();
    response.once("close", () => left.abort());
    const onGone = (act: () => void) => whenGone(response, act);
    const reply = await (await endpoint).fetch(
      await webRequest(request, left.signal),
      hostFor({ ...context, onGone }, tools, principal, set),
    );
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    if (reply.body !== null) for await (const chunk of reply.body) response.write(chunk);
    response.end();
  };
}

/** A token, and how the bytes were sent: they are read by now. */
const notPassedOn = new Set(["authorization", "content-encoding", "content-length"]);

async function webRequest(request: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (!notPassedOn.has(name) && value !== undefined) headers.set(name, String(value));
  }
  const method = request.method ?? "GET";
  const body = method === "GET" || method === "HEAD" ? null : await readJsonBytes(request);
  return new Request(`http://127.0.0.1${mcpPath}`, { method, headers, body, signal });
}

type CallContext = McpContext & Pick<Call<unknown, unknown, unknown>, "onGone">;

function hostFor(context: CallContext, tools: McpTool[], principal: Principal, set: ToolSet): ToolHost {
  const own = toolsFor(tools, principal.access, set);
  return {
    list: () => own.map(({ listing }) => listing),
    call(name, args) {
      const tool = own.find((candidate) => candidate.name === name);
      return tool === undefined ? whyNot(tools, name, principal) : callTool(context, tool, args, principal);
    },
  };
}

/** What an agent, or who set it up, can do about a tool that it does not have. */
function whyNot(tools: McpTool[], name: string, { access }: Principal): string {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) return `Unknown tool: ${name}`;
  const mayCall = access === "write" || tool.route.access === "read";
  if (!mayCall) return `Unknown tool: ${name} takes a token that may write`;
  return `Unknown tool: ${name} is not a core tool; connect without profile=core, or with troupe mcp --tools all`;
}

async function callTool(
  context: CallContext,
  { route }: McpTool,
  args: Record<string, unknown>,
  principal: Principal,
): Promise<CallToolResult> {
  const headers: Headers = {};
  const { params, query, body } = partsOf(route, args);
  const { onGone } = context;
  const given = { params, query: () => query, body: async () => body, idempotencyKey: undefined, onGone };
  try {
    const reply = await invoke(context, route, given, { principal, source: "agent" }, headers);
    if (reply instanceof EventReply) return resultOf(route, await reply.recent());
    if (reply instanceof TextStream) return mediaResult(route, await mediaOfText(reply));
    if (reply instanceof FileBody) return mediaResult(route, await mediaOf(reply));
    if (reply instanceof Media) return mediaResult(route, reply);
    return resultOf(route, bodyOf(reply));
  } catch (error) {
    if (!(error instanceof Fault)) context.failed(error);
    const fault = error instanceof Fault ? error : new Fault("internal", faultRecord(error).message);
    return { isError: true, content: [{ type: "text", text: faultWords(route.quotes, fault) }] };
  }
}

function bodyOf(reply: Reply): unknown {
  if (reply === null) return { ok: true };
  return reply instanceof JsonBytes ? JSON.parse(Buffer.from(reply.bytes).toString("utf8")) : reply;
}

async function mediaOf({ path, name, type, temporary }: FileBody): Promise<Media> {
  try {
    tooLarge((await stat(path)).size, "file", "read it over REST");
    return new Media(type, await readFile(path), { name });
  } finally {
    if (temporary) await rm(path, { force: true });
  }
}

async function mediaOfText({ type, name, parts }: TextStream): Promise<Media> {
  const read: Buffer[] = [];
  let bytes = 0;
  for await (const part of parts) {
    read.push(Buffer.from(part));
    bytes += Buffer.byteLength(part);
    tooLarge(bytes, "file", "read it over REST");
  }
  return new Media(type, Buffer.concat(read), { name });
}

/** Throws `conflict` for more than models take. */
function tooLarge(bytes: number, what: string, remedy: string): void {
  const max = limits.mcpImageBytesMax;
  if (bytes > max)
    throw new Fault("conflict", `the ${what} is ${bytes} bytes, over MCP at most ${max}; ${remedy}`);
}

/** A picture or PDF is a block of its own, which no mark can enclose; the page's address and title are marked beside it. */
function mediaResult(route: Route, { type, bytes, about }: Media): CallToolResult {
  const isImage = type.startsWith("image/");
  if (isImage)
    tooLarge(
      bytes.length,
      "picture",
      "give format jpeg or webp, a smaller max_width, or the node_id of a part",
    );
  else tooLarge(bytes.length, "file", "read it over REST");
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  const text = { type: "text" as const, text: replyText(route.quotes, about) };
  if (isImage) return { content: [{ type: "image", data, mimeType: type }, text] };
  if (type.startsWith("text/plain") && route.quotes === null)
    return { content: [{ type: "text", text: Buffer.from(bytes).toString("utf8") }] };
  const resource = { uri: `troupe:${route.id}`, mimeType: type, blob: data };
  return { content: [{ type: "resource", resource }, text] };
}

/** Clients of the 2025 protocol take objects only. A marked reply has no structured content (gateway/README.md, "MCP"). */
function resultOf({ quotes }: Route, body: unknown): CallToolResult {
  const structuredContent = Array.isArray(body) ? { items: body } : Object(body);
  const text = replyText(quotes, structuredContent);
  return { content: [{ type: "text", text }], ...(quotes === null ? { structuredContent } : {}) };
}
