/** The calling end of a port: an actor's interface as an object, with a deadline on every call. */
import { type JsonRpcResponse, rpcClient } from "typed-rpc";
import { Fault, type FaultRecord, faultFrom } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { Deadlines } from "../../protocol/messages/deadlines.ts";
import { type Clock, systemClock, type Timer } from "./clock.ts";
import { currentTrail } from "./trail.ts";
import { type CallMessage, type PortLike, transferOf, type WireMessage } from "./wire.ts";

export interface Remote<Api> {
  api: Api;
  /** Sets the port: sends the waiting calls, and rejects those sent on the port before. */
  attach(port: PortLike): void;
  /** Removes the port: rejects the calls already sent. Others wait for a new port, or are refused until there is one. */
  detach(fault: Fault, others: "wait" | "refused"): void;
}

interface Pending {
  message: CallMessage;
  resolve(result: unknown): void;
  reject(fault: Fault): void;
  timer: Timer | null;
  sent: boolean;
}

/** A remote without a port yet; its faults mention `name`. */
export function createRemote<Api extends object>(
  name: string,
  options: { deadlines?: Deadlines<Api>; clock?: Clock } = {},
): Remote<Api> {
  const clock = options.clock ?? systemClock;
  const deadlines: Partial<Record<string, number>> = options.deadlines ?? {};
  const pending = new Map<number, Pending>();
  let port: PortLike | null = null;
  let gone: Fault | null = null;
  let lastId = 0;

  const settle = (id: unknown, act: (entry: Pending) => void) => {
    if (typeof id !== "number") return;
    const entry = pending.get(id);
    if (entry === undefined) return;
    pending.delete(id);
    entry.timer?.cancel();
    act(entry);
  };
  const onMessage = (message: WireMessage) => {
    if (!("reply" in message)) return;
    const reply = message.reply;
    settle(reply.id, (entry) => {
      if ("error" in reply) entry.reject(faultFrom(faultOf(reply.error)));
      else entry.resolve(reply.result);
    });
  };
  const send = (entry: Pending) => {
    if (port === null || entry.sent) return;
    entry.sent = true;
    port.postMessage(entry.message, transferOf(entry.message.call.params?.[0]));
  };

  const call = (method: string, params: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (gone !== null) return reject(gone);
      lastId += 1;
      const id = lastId;
      const ms = deadlines[method] ?? limits.callDeadlineMs;
      const overdue = () =>
        settle(id, (entry) =>
          entry.reject(new Fault("internal", `${name}.${method} did not answer within ${ms} ms`)),
        );
      const timer = Number.isFinite(ms) ? clock.timer(ms, overdue) : null;
      const call = { jsonrpc: "2.0", id, method, params } as const;
      const trail = currentTrail();
      const entry: Pending = {
        message: trail === undefined ? { call } : { call, trail },
        resolve,
        reject,
        timer,
        sent: false,
      };
      pending.set(id, entry);
      send(entry);
    });

  const detach: Remote<Api>["detach"] = (fault, others) => {
    port?.off("message", onMessage);
    port = null;
    if (others === "refused") gone = fault;
    for (const [id, entry] of [...pending]) {
      if (entry.sent || others === "refused") settle(id, () => entry.reject(fault));
    }
  };

  return {
    api: methodsOf<Api>(call),
    attach(next) {
      // The close of the old port can arrive after the new port: calls on the old one would wait for ever.
      if (port !== null) detach(new Fault("internal", `${name} restarted before it answered`), "wait");
      port = next;
      gone = null;
      port.on("message", onMessage);
      for (const entry of pending.values()) send(entry);
    },
    detach,
  };
}

/** An object whose every method sends its call. The client of typed-rpc would make an unused AbortController per call. */
export function methodsOf<Api extends object>(
  send: (method: string, params: unknown[]) => Promise<unknown>,
): Api {
  const methods = new Map<string, (...params: unknown[]) => Promise<unknown>>();
  const get = (_target: object, name: string | symbol) => {
    if (typeof name === "symbol" || name === "then" || name === "toJSON") return undefined; // Not a thenable.
    const known = methods.get(name);
    if (known !== undefined) return known;
    const method = (...params: unknown[]) => send(name, params);
    methods.set(name, method);
    return method;
  };
  return new Proxy({}, { get }) as Api; // The receiving end checks the method.
}

/** An actor's interface over another transport, such as HTTP. Calls throw faults. */
export function remoteOver<Api extends object>(send: (call: object) => Promise<JsonRpcResponse>): Api {
  const client = rpcClient<Api>({
    transport: async (call) => {
      const reply = await send(call);
      if ("error" in reply) throw faultFrom(faultOf(reply.error));
      return reply;
    },
  });
  return client as unknown as Api; // The client has $abort besides the interface.
}

function faultOf(error: { message: string; data?: unknown }): FaultRecord {
  const data = error.data;
  if (typeof data === "object" && data !== null && "kind" in data && "message" in data) {
    return data as FaultRecord;
  }
  return { kind: "internal", message: error.message };
}
