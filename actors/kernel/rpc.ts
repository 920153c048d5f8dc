/** The receiving end of a port: checks each call, runs the method, replies with its value or fault. */
import type { JsonRpcResponse } from "typed-rpc";
import { handleRpc } from "typed-rpc/server";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { Checks } from "../../protocol/messages/checks.ts";
import { inBackground } from "./background.ts";
import type { Log } from "./log.ts";
import { fieldsOf, followTrail, type TrailText } from "./trail.ts";
import { faultCode, type PortLike, transferOf, type WireMessage } from "./wire.ts";

type Method = (input: unknown) => Promise<unknown>;

/** The methods of `api` behind their checks, without a prototype, so that `toString` is no method (actors/README.md, "Messages"). */
export function gated<Api extends object>(api: Api, checks: Checks<Api>): Record<string, Method> {
  const table: Record<string, Method> = Object.create(null);
  for (const name of Object.keys(checks)) {
    const method: unknown = Reflect.get(api, name);
    const check: unknown = Reflect.get(checks, name);
    if (typeof method !== "function" || typeof check !== "function") {
      throw new TypeError(`method ${name} has a check but no implementation`);
    }
    table[name] = async (input) => method.call(api, check(input ?? {}));
  }
  return table;
}

/** Answers one JSON-RPC request. A fault keeps kind and detail; any other error is logged here, with the caller's trail. */
export function answer(table: Record<string, Method>, request: unknown, log: Log, trail?: TrailText) {
  return handleRpc<Record<string, Method>, unknown>(request, table, {
    getErrorCode: () => faultCode,
    getErrorMessage: (error) => faultRecord(error).message,
    getErrorData: (error) => faultRecord(error),
    onError: (error) => {
      if (!(error instanceof Fault)) log.error("a call failed", { ...fieldsOf(trail), error });
    },
  });
}

export interface Served {
  take(message: WireMessage): void;
  close(): void;
}

/** Serves `api` on `port` until closed. Runs at most `limits.mailboxCallsMax` calls at once; more are refused. */
export function serveApi<Api extends object>(
  port: PortLike,
  api: Api,
  checks: Checks<Api>,
  { log }: { log: Log },
): Served {
  const table = gated(api, checks);
  let inHand = 0;
  const onMessage = (message: WireMessage) => {
    if (!("call" in message)) return;
    if (inHand >= limits.mailboxCallsMax) {
      const fault = faultRecord(new Fault("internal", "too many calls are waiting for this thread"));
      const id = message.call.id ?? null;
      port.postMessage({
        reply: { jsonrpc: "2.0", id, error: { code: faultCode, message: fault.message, data: fault } },
      });
      return;
    }
    inHand += 1;
    const { call, trail } = message;
    const startedAt = Date.now();
    const replied = (reply: JsonRpcResponse) => {
      inHand -= 1;
      port.postMessage({ reply }, transferOf("result" in reply ? reply.result : null));
      log.debug("answered a call", {
        method: call.method,
        ms: Date.now() - startedAt,
        ok: "result" in reply,
      });
    };
    const answered = followTrail(trail, () => answer(table, call, log, trail).then(replied));
    inBackground(log, "a reply", answered);
  };
  port.on("message", onMessage);
  return { take: onMessage, close: () => void port.off("message", onMessage) };
}
