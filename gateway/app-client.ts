/** The command line's end of the application listener. */
import { json } from "node:stream/consumers";
import type { JsonRpcResponse } from "typed-rpc";
import { remoteOver } from "../actors/kernel/remote.ts";
import { Fault } from "../protocol/faults.ts";
import type { AppApi } from "../protocol/messages/app.ts";
import { send } from "./http-client.ts";
import type { Instance } from "./instance.ts";

/** Browsers are stopped within the service's own deadlines; this only ends a wait for a service that hangs. */
const usualTimeoutMs = 60_000;

/** The interface of the running service `instance`. Calls throw the service's faults. */
export function connectApp(instance: Instance, timeoutMs = usualTimeoutMs): AppApi {
  return remoteOver<AppApi>(async (call) => {
    const reply = await send(new URL("/rpc", instance.url), {
      method: "POST",
      headers: { authorization: `Bearer ${instance.secret}`, "content-type": "application/json" },
      body: JSON.stringify(call),
      timeoutMs,
    });
    if (reply.statusCode !== 200) {
      reply.resume();
      throw new Fault(
        "internal",
        `the service answered ${reply.statusCode}; is it another one's data directory?`,
      );
    }
    return (await json(reply)) as JsonRpcResponse; // The other end is our own `answer`, which writes nothing else.
  });
}
