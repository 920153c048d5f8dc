/** A trace of the browser's DevTools traffic as JSON lines, made only while a caller reads it. */
import { limits } from "../../../protocol/limits.ts";
import type { CdpTraceTail } from "../../../protocol/messages/profile.ts";
import type { Clock, Timer } from "../../kernel/clock.ts";
import { type Incoming, readable, type Unread } from "./cbor.ts";
import { encode } from "./cbor-write.ts";
import type { Connection } from "./connection.ts";
import { redacted } from "./redacted.ts";
import type { Outgoing, Watcher } from "./traffic.ts";

export interface CdpTrace {
  /** Begins the trace if none is made. Waits for lines after the first `after`; `lines` is empty when none came. */
  next(after: number, waitMs: number): Promise<CdpTraceTail>;
}

const waitMsMax = 5_000;
/** Lines that come soon after each other travel together. */
const gatherMs = 100;
const unreadMs = 10_000;
/** Commands whose method is remembered for their reply. */
const methodsMax = 10_000;

/** Of this browser, until it ends. */
export function createTrace({ watchTraffic }: Pick<Connection, "watchTraffic">, clock: Clock): CdpTrace {
  let lines: string[] = [];
  let chars = 0;
  /** Number of all lines so far, also of those that were dropped. */
  let count = 0;
  let unwatch: (() => void) | null = null;
  let unread: Timer | null = null;
  let arrived = () => {};

  const add = (line: string) => {
    lines.push(line);
    chars += line.length;
    count += 1;
    while (chars > limits.cdpTraceBufferCharsMax) chars -= lines.shift()?.length ?? chars;
    arrived();
  };
  const stop = () => {
    unwatch?.();
    unwatch = null;
    lines = [];
    chars = 0;
  };
  const arrival = (waitMs: number) =>
    new Promise<void>((resolve) => {
      const timer = clock.timer(Math.min(waitMs, waitMsMax), resolve);
      arrived = () => {
        timer.cancel();
        resolve();
      };
    });
  return {
    async next(after, waitMs) {
      unread?.cancel();
      unwatch ??= watchTraffic(lineMaker(clock, add));
      if (count <= after) await arrival(waitMs);
      if (count > after) await new Promise<void>((resolve) => clock.timer(gatherMs, resolve));
      unread?.cancel();
      unread = clock.timer(unreadMs, stop);
      return { lines: lines.slice(Math.max(0, lines.length - Math.max(0, count - after))), count };
    },
  };
}

/** A watcher that writes each message as a line. */
function lineMaker(clock: Pick<Clock, "now">, add: (line: string) => void): Watcher {
  const methods = new Map<number, unknown>();
  const line = (head: object, name: string, body: unknown) => {
    const at = new Date(clock.now()).toISOString();
    const text = JSON.stringify(redacted(body)) ?? "null";
    const isCut = text.length > limits.cdpTraceBodyCharsMax;
    const said = isCut ? `${JSON.stringify(text.slice(0, limits.cdpTraceBodyCharsMax))},"cut":true` : text;
    add(`${JSON.stringify({ at, ...head }).slice(0, -1)},"${name}":${said}}`);
  };
  return {
    sent(message: Outgoing) {
      const { id, method, params = {}, sessionId: session } = message;
      methods.set(id, method);
      const [oldest] = methods.keys();
      if (methods.size > methodsMax && oldest !== undefined) methods.delete(oldest);
      line({ direction: "sent", session, method, id, bytes: encode(message).length }, "params", params);
    },
    received({ id, method, params, result, error, sessionId: session }: Incoming, bytes) {
      const isEvent = id === undefined;
      const of = isEvent ? method : methods.get(id);
      if (!isEvent) methods.delete(id);
      const name = error !== undefined ? "error" : isEvent ? "params" : "result";
      const body = decoded(error ?? (isEvent ? params : result));
      const head = { direction: "received", session, method: of, id, bytes };
      // The browser's own message, which `redacted` would treat as a dialog's.
      if (error !== undefined) line({ ...head, refusal: redacted(Object(body).message) }, name, body);
      else line(head, name, body);
    },
  };
}

function decoded(unread: Unread | undefined): unknown {
  if (unread === undefined) return {};
  return readable(unread)?.value ?? "nested too deep";
}
