/** `troupe mcp`: MCP over stdio. Each line goes to `POST /mcp`, each reply to stdout. */
import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { send } from "../http-client.ts";
import { unlessHung } from "../hung-calls.ts";
import { type ApiFlags, type Target, targetOf } from "./api.ts";
import { complain, streams } from "./output.ts";
import { runningService } from "./reach.ts";

export interface McpFlags extends ApiFlags {
  tools?: string;
}

interface Message {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> };
}

interface Bridge {
  url: URL;
  bearer: string;
  pid: number | null;
  /** Agreed on in `initialize` with clients of the 2025 protocol; later clients name it in each message. */
  version: string | null;
  waiting: Map<string, AbortController>;
}

const versionKey = "io.modelcontextprotocol/protocolVersion";
/** What the header Mcp-Name repeats of a call's params (MCP 2026-07-28, "Standard request headers"). */
const nameFields: Record<string, string> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

export async function bridgeMcp(flags: McpFlags): Promise<void> {
  const { url: base, bearer, pid } = await mcpTarget(flags);
  const url = new URL("/mcp", base);
  if (flags.tools !== undefined) url.searchParams.set("profile", flags.tools);
  const bridge: Bridge = { url, bearer, pid, version: null, waiting: new Map() };
  const replies = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const reply = forward(bridge, line).finally(() => replies.delete(reply));
    replies.add(reply);
    // Later messages carry the version that this one agrees on.
    if (line.includes('"initialize"')) await reply;
  }
  await Promise.all(replies);
}

/** With TROUPE_TOKEN the API itself, also that of the running service; else the application as the user. */
async function mcpTarget(flags: McpFlags): Promise<Pick<Target, "url" | "bearer" | "pid">> {
  const token = process.env.TROUPE_TOKEN ?? "";
  const target = targetOf(flags);
  if (token === "" || target.application === null) return target;
  const { apiUrl } = await runningService(flags).status({});
  if (apiUrl === null)
    throw new Error("TROUPE_TOKEN needs the API, which is off; switch it on with: troupe api on");
  return { url: new URL(apiUrl), bearer: token, pid: target.pid };
}

/** Throws `RangeError` for a message over the service's limits, or one that is not an object. */
function messageOf(line: string): Message {
  const excess = jsonExcess(Buffer.from(line));
  if (excess !== null) throw new RangeError(`a message ${excess}`);
  const message: unknown = JSON.parse(line);
  if (typeof message !== "object" || message === null) throw new RangeError("a message must be an object");
  return message;
}

async function forward(bridge: Bridge, line: string): Promise<void> {
  let message: Message;
  try {
    message = messageOf(line);
  } catch (error) {
    const why = error instanceof RangeError ? error.message : "a line must be JSON";
    return write({ jsonrpc: "2.0", id: null, error: { code: -32700, message: `Parse error: ${why}` } });
  }
  if (message.method === "notifications/cancelled" && drop(bridge, message)) return;
  const key = message.method === undefined || message.id == null ? null : JSON.stringify(message.id);
  const leaving = new AbortController();
  if (key !== null) bridge.waiting.set(key, leaving);
  try {
    await unlessHung(bridge, async (hung) => {
      const reply = await send(bridge.url, {
        method: "POST",
        headers: headersOf(bridge, message),
        body: line,
        signal: AbortSignal.any([leaving.signal, hung]),
      });
      await pass(bridge, message, reply);
    });
  } catch (error) {
    if (leaving.signal.aborted) return; // A cancelled call gets no reply.
    const why = error instanceof Error ? error.message : String(error);
    if (key === null) complain(why);
    else write({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: why } });
  } finally {
    if (key !== null) bridge.waiting.delete(key);
  }
}

/** Over HTTP a call is cancelled by closing it. False: no such call waits. */
function drop({ waiting }: Bridge, { params }: Message): boolean {
  const call = waiting.get(JSON.stringify(params?.requestId));
  call?.abort();
  return call !== undefined;
}

function headersOf({ bearer, version }: Bridge, { method, id, params }: Message): Record<string, string> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${bearer}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const claimed = params?._meta?.[versionKey];
  if (typeof claimed !== "string") {
    return version === null ? headers : { ...headers, "mcp-protocol-version": version };
  }
  headers["mcp-protocol-version"] = claimed;
  if (method === undefined || id == null) return headers;
  headers["mcp-method"] = method;
  const name = params?.[nameFields[method] ?? ""];
  if (typeof name === "string") headers["mcp-name"] = headerText(name);
  return headers;
}

/** In the protocol's Base64 form where a header cannot carry the text. */
function headerText(value: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(value) && value.trim() === value && !value.startsWith("=?base64?");
  return plain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

async function pass(bridge: Bridge, message: Message, reply: IncomingMessage): Promise<void> {
  const type = reply.headers["content-type"] ?? "";
  if (type.startsWith("text/event-stream")) return passEvents(reply);
  const body = (await text(reply)).trim();
  const answer = jsonOf(body);
  if (answer !== null && "jsonrpc" in answer) {
    if (message.method === "initialize") noteVersion(bridge, answer);
    return write(answer);
  }
  if (message.id == null || message.method === undefined) {
    if ((reply.statusCode ?? 0) >= 400) complain(`${reply.statusCode} ${body}`);
    return;
  }
  const said =
    answer !== null && "error" in answer ? String(answer.error) : `the service answered ${reply.statusCode}`;
  write({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: said } });
}

async function passEvents(reply: IncomingMessage): Promise<void> {
  let data: string[] = [];
  for await (const line of createInterface({ input: reply, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
    else if (line === "" && data.length > 0) {
      const answer = jsonOf(data.join("\n"));
      if (answer !== null) write(answer);
      data = [];
    }
  }
}

function noteVersion(bridge: Bridge, answer: object): void {
  const { result }: { result?: { protocolVersion?: unknown } } = answer;
  if (typeof result?.protocolVersion === "string") bridge.version = result.protocolVersion;
}

function jsonOf(body: string): object | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function write(message: object): void {
  streams.out.write(`${JSON.stringify(message)}\n`);
}
