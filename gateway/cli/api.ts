/** Calls an operation on the running service with the user's secret, or on the API of a base URL with a token. */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { AppApi } from "../../protocol/messages/app.ts";
import { connectApp } from "../app-client.ts";
import { send } from "../http-client.ts";
import { unlessHung } from "../hung-calls.ts";
import { readInstance } from "../instance.ts";
import type { Method } from "../route.ts";
import { Refused, readerGone, WrongUsage } from "./output.ts";
import { type DataFlag, dataDirOf, noService } from "./reach.ts";

export interface ApiFlags extends DataFlag {
  apiUrl?: string;
}

export interface Operation {
  method: Method;
  path: string;
  query?: Record<string, string>;
  body?: object;
  /** In place of the body. */
  file?: { type: string; stream: Readable };
  idempotencyKey?: string;
}

/** A reply that is not JSON. */
export interface Received {
  type: string;
  bytes: Buffer;
}

export interface Api {
  /** The reply's body, null for none. Throws `Refused`. */
  call<Reply = unknown>(operation: Operation): Promise<Reply>;
  /** Throws `Refused`. */
  receive(operation: Operation): Promise<Received>;
  /** Passes the reply's parts to `take` as they come, as long as the output has a reader. Throws `Refused`. */
  follow(operation: Operation, take: (part: Buffer) => void): Promise<void>;
  /** Null for an API at another base URL. */
  application: AppApi | null;
}

export interface Target {
  url: URL;
  bearer: string;
  /** Null for an API at another base URL. */
  pid: number | null;
  application: AppApi | null;
}

/** Throws `WrongUsage` (TROUPE_URL without TROUPE_TOKEN), `conflict` (no service runs). */
export function targetOf(flags: ApiFlags, env: NodeJS.ProcessEnv = process.env): Target {
  const given = flags.apiUrl ?? (flags.data === undefined ? env.TROUPE_URL : undefined);
  if (given !== undefined && given !== "") {
    if (!URL.canParse(given) || new URL(given).protocol !== "http:") {
      throw new WrongUsage(`--api-url or TROUPE_URL must be like http://127.0.0.1:4477, got ${given}`);
    }
    const token = env.TROUPE_TOKEN ?? "";
    if (token === "")
      throw new WrongUsage("TROUPE_TOKEN must be a token of this API; mint one with: troupe token mint NAME");
    return { url: new URL(given), bearer: token, pid: null, application: null };
  }
  const instance = readInstance(dataDirOf(flags));
  if (instance === null) throw noService(flags);
  const { pid, secret: bearer } = instance;
  return { url: new URL(instance.url), bearer, pid, application: connectApp(instance) };
}

export function openApi(flags: ApiFlags): Api {
  const target = targetOf(flags);
  const receive = async (operation: Operation): Promise<Received> => {
    const { status, ...answer } = await unlessHung(target, (signal) => perform(target, operation, signal));
    if (status >= 200 && status < 300) return answer;
    throw new Refused(status, refusal(status, answer.bytes.toString("utf8"), target.url));
  };
  return {
    application: target.application,
    receive,
    async follow(operation, take) {
      const reply = await asked(target, operation, readerGone.signal);
      const status = reply.statusCode ?? 0;
      if (status >= 300) throw new Refused(status, refusal(status, String(await buffer(reply)), target.url));
      try {
        for await (const part of reply) take(part);
      } catch (error) {
        if (!readerGone.signal.aborted) throw error;
      }
    },
    async call(operation) {
      const { bytes } = await receive(operation);
      return bytes.length === 0 ? null : JSON.parse(bytes.toString("utf8"));
    },
  };
}

async function perform(
  target: Target,
  operation: Operation,
  signal: AbortSignal,
): Promise<Received & { status: number }> {
  const reply = await asked(target, operation, signal);
  const type = reply.headers["content-type"] ?? "";
  return { status: reply.statusCode ?? 0, type, bytes: await buffer(reply) };
}

function asked(
  { url: base, bearer }: Target,
  { method, path, query, body, file, idempotencyKey }: Operation,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(path, base);
  for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value);
  return send(url, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { "content-type": file?.type ?? "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: file?.stream ?? JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function refusal(status: number, answer: string, base: URL): string {
  if (status === 401) return `${base.origin} does not know this token; mint one with: troupe token mint NAME`;
  try {
    const { error }: { error?: unknown } = JSON.parse(answer);
    if (typeof error === "string") return error;
  } catch {
    // Not a reply of the service.
  }
  return `${base.origin} answered ${status}`;
}
