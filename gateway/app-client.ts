/** The command line's client of the application listener. */
import { json } from "node:stream/consumers";
import type { JsonRpcResponse } from "typed-rpc";
import { remoteOver } from "../actors/kernel/remote.ts";
import { Fault } from "../protocol/faults.ts";
import type { AppApi } from "../protocol/messages/app.ts";
import { type Outgoing, send } from "./http-client.ts";
import { unlessHung } from "./hung-calls.ts";
import type { Instance } from "./instance.ts";

/** Only for a call that hangs: the service has deadlines of its own. */
const usualTimeoutMs = 60_000;

/** The running service's interface. Calls throw its faults. */
export function connectApp(instance: Instance, timeoutMs = usualTimeoutMs): AppApi {
  return remoteOver<AppApi>(async (call) => {
    const callee = { url: new URL(instance.url), pid: instance.pid };
    return unlessHung(callee, (signal) => answerTo(instance, call, { timeoutMs, signal }));
  });
}

async function answerTo(
  instance: Instance,
  call: object,
  bounds: Pick<Outgoing, "timeoutMs" | "signal">,
): Promise<JsonRpcResponse> {
  const reply = await send(new URL("/rpc", instance.url), {
    method: "POST",
    headers: { authorization: `Bearer ${instance.secret}`, "content-type": "application/json" },
    body: JSON.stringify(call),
    ...bounds,
  });
  if (reply.statusCode !== 200) {
    reply.resume();
    throw new Fault(
      "internal",
      `the service answered ${reply.statusCode}; check that --data names the data directory of this service`,
    );
  }
  return (await json(reply)) as JsonRpcResponse; // Only our own `answer` writes this.
}
