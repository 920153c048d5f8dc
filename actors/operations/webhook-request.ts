/** One attempt to deliver an event, signed as Standard Webhooks has it. */
import { createHmac } from "node:crypto";
import { lookup } from "node:dns/promises";
import type { StoredEvent } from "../../protocol/events.ts";
import { limits } from "../../protocol/limits.ts";
import type { WebhookTarget } from "../../protocol/messages/webhooks.ts";
import type { Clock } from "../kernel/clock.ts";
import { thisMachine } from "../kernel/this-machine.ts";

export interface Attempt {
  status?: number;
  /** Absent when the receiver accepted the event. */
  error?: string;
  /** How long the receiver asks to be left alone. */
  pauseMs?: number;
}

export interface AttemptRules {
  /** Ports of this machine to which no event is sent. */
  refusedPorts(): Promise<readonly number[]>;
  answerMs: number;
}

/** Never throws. */
export async function attemptDelivery(
  { id, url, secret }: WebhookTarget,
  { id: eventId, event }: StoredEvent,
  clock: Clock,
  { refusedPorts, answerMs }: AttemptRules,
): Promise<Attempt> {
  const messageId = `msg_${id.replaceAll("-", "")}_${eventId}`;
  const timestamp = String(Math.floor(clock.now() / 1_000));
  const body = JSON.stringify({ id: eventId, ...event });
  const late = AbortSignal.timeout(answerMs);
  try {
    if (await leadsToOwn(new URL(url), await refusedPorts()))
      return { error: "its port is one of the service's own" };
    const { request } = await import("undici"); // Loaded only when there is a webhook.
    const reply = await request(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "Troupe",
        "webhook-id": messageId,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature(secret, `${messageId}.${timestamp}.${body}`),
      },
      body,
      signal: late,
    });
    reply.body.dump().catch(() => {}); // Only the status counts.
    return {
      ...answered(reply.statusCode),
      ...pauseOf(reply.statusCode, reply.headers["retry-after"], clock),
    };
  } catch (error) {
    return { error: late.aborted ? `no answer within ${answerMs / 1_000} s` : reasonOf(error) };
  }
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

function answered(status: number): Attempt {
  if (status >= 200 && status < 300) return { status };
  const moved = status >= 300 && status < 400 ? ", a redirect, which is not followed" : "";
  return { status, error: `the receiver answered ${status}${moved}` };
}

/** Seconds or a date; at most the longest pause between two attempts. */
function pauseOf(status: number, given: string | string[] | undefined, clock: Clock): { pauseMs?: number } {
  if ((status !== 429 && status !== 503) || typeof given !== "string") return {};
  const asked = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - clock.now();
  return asked > 0 ? { pauseMs: Math.min(asked, limits.webhookPauseMaxMs) } : {};
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return inner instanceof Error && inner.message !== "" ? inner.message : error.name;
}

/** Whether the URL leads to one of these ports of this machine. Throws when its host name is unknown. */
export async function leadsToOwn(url: URL, ownPorts: readonly number[]): Promise<boolean> {
  const port = Number(url.port || (url.protocol === "http:" ? 80 : 443));
  if (!ownPorts.includes(port)) return false;
  const isOwn = await thisMachine();
  if (isOwn(url.hostname)) return true;
  const found = await lookup(url.hostname.replace(/^\[|\]$/g, ""), { all: true });
  return found.some(({ address }) => isOwn(address));
}
