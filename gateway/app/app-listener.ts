/** The application's own loopback listener: JSON-RPC for whoever holds the instance's secret. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { readBody } from "../gate/body.ts";
import { isLoopbackHost } from "../gate/host-check.ts";
import { type Listener, listen } from "../listener.ts";
import { respond, respondEmpty, respondFault } from "../respond.ts";

/** Listens on a free port. A browser page cannot call it: it has no secret, and its Origin is refused. */
export async function listenForApp(
  answerCall: (call: unknown) => Promise<object>,
  secret: string,
): Promise<Listener> {
  const wanted = Buffer.from(`Bearer ${secret}`);
  return listen(0, (port) => (request: IncomingMessage, response: ServerResponse) => {
    if (!isLoopbackHost(request.headers.host, port()) || request.headers.origin !== undefined) {
      return respondEmpty(response, 403);
    }
    const given = Buffer.from(request.headers.authorization ?? "");
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return respondEmpty(response, 401);
    if (request.method !== "POST" || request.url !== "/rpc") {
      return respondFault(response, new Fault("not-found", "the application answers POST /rpc only"));
    }
    readBody(request)
      .then(async (body) => respond(response, 200, await answerCall(body)))
      .catch((error: unknown) => {
        const fault = error instanceof Fault ? error : new Fault("internal", faultRecord(error).message);
        respondFault(response, fault);
      });
  });
}
