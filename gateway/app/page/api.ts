/** The page's calls: API operations, and AppApi over JSON-RPC. Each call carries the session. */
import { rpcClient } from "typed-rpc";
import type { AppApi } from "../../../protocol/messages/app.ts";
import { inPageWords } from "./field-words.ts";
import { downloadBlob } from "./parts/download.ts";
import { sessionHeaders } from "./session.ts";

/** A failed call; its message can be shown to the user. */
export class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "CallError";
    this.status = status;
  }
}

async function answerOf<Reply>(reply: Response): Promise<Reply> {
  const text = await reply.text();
  if (reply.status === 401) {
    throw new CallError(401, "This window's session has ended. Open a new one with: troupe open");
  }
  const isJson = reply.headers.get("content-type")?.startsWith("application/json") ?? false;
  const body: unknown = text !== "" && isJson ? JSON.parse(text) : null;
  if (reply.ok) return body as Reply; // Our own service sent it, as its OpenAPI document describes it.
  const error: unknown = Object(body).error;
  throw new CallError(
    reply.status,
    typeof error === "string" ? inPageWords(error) : `the service answered with status ${reply.status}`,
  );
}

/** GET of an operation, such as `/v1/profiles`. Throws CallError. */
export async function get<Reply>(path: string): Promise<Reply> {
  return answerOf<Reply>(await fetch(path, { headers: await sessionHeaders() }));
}

export function post<Reply>(path: string, body: object = {}): Promise<Reply> {
  return send<Reply>("POST", path, body);
}

export function patch<Reply>(path: string, body: object): Promise<Reply> {
  return send<Reply>("PATCH", path, body);
}

async function send<Reply>(method: string, path: string, body: object): Promise<Reply> {
  const reply = await fetch(path, {
    method,
    headers: { "content-type": "application/json", ...(await sessionHeaders()) },
    body: JSON.stringify(body),
  });
  return answerOf<Reply>(reply);
}

/** Sends a file as the body. Throws CallError. */
export async function postFile<Reply>(path: string, file: Blob, type: string): Promise<Reply> {
  const headers = { "content-type": type, ...(await sessionHeaders()) };
  return answerOf<Reply>(await fetch(path, { method: "POST", headers, body: file }));
}

export async function remove(path: string): Promise<null> {
  return answerOf<null>(await fetch(path, { method: "DELETE", headers: await sessionHeaders() }));
}

/** The bytes of a file. Throws CallError. */
export async function bytesOf(path: string): Promise<Blob> {
  const reply = await fetch(path, { headers: await sessionHeaders() });
  return reply.ok ? reply.blob() : answerOf<never>(reply);
}

/** Saves a file of the service under `name`. Throws CallError. */
export async function save(path: string, name: string): Promise<void> {
  downloadBlob(name, await bytesOf(path));
}

/** What only the application may do: tokens, approvals, settings. Throws CallError. */
export const app = rpcClient<AppApi>({
  async transport(call) {
    const reply = await post<{ error?: { message: string } }>("/rpc", call);
    if (reply.error !== undefined) throw new CallError(409, reply.error.message);
    return reply as never; // typed-rpc's envelope, as its server wrote it.
  },
});
