/** Steps 4 to 8 of the order of checks (gateway/README.md, "Order of checks") for a request over HTTP: reads the body, calls `invoke.ts`, answers. */
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import { type Exchange, targetOf } from "../boundary.ts";
import { respond, whenGone } from "../respond.ts";
import type { Route } from "../route.ts";
import type { Match } from "../router.ts";
import { readBody } from "./body.ts";
import { bodyFile } from "./body-file.ts";
import { type Caller, type InvokeContext, invoke } from "./invoke.ts";
import { queryValues } from "./shapes.ts";

export interface RouteContext extends InvokeContext {
  find(method: string, path: string): Match;
}

export async function callRoute(
  context: RouteContext,
  { request, response, headers }: Exchange,
  caller: Caller,
): Promise<void> {
  const { path, query } = targetOf(request.url);
  const { route, params } = context.find(request.method ?? "GET", path);
  const given = {
    params,
    query: () => (query === "" ? {} : queryValues(route, new URLSearchParams(query))),
    body: async () =>
      route.method === "GET"
        ? undefined
        : await readBody(request, route.bodyForms).catch((error: unknown) => {
            throw route.bodyFile === undefined ? error : withType(error, route.bodyFile.type);
          }),
    idempotencyKey: request.headers["idempotency-key"],
    header: (name: string) => {
      const value = request.headers[name];
      return typeof value === "string" ? value : undefined;
    },
    onGone: (act: () => void) => whenGone(response, act),
  };
  const file = await fileOf(context, route, request, caller);
  try {
    const reply = await invoke(context, route, file === null ? given : { ...given, file }, caller, headers);
    respond(response, route.reply.status, reply, headers);
  } finally {
    if (file !== null) await rm(file, { force: true });
  }
}

/** The body as a file, if the route takes it so and its type says so. Nothing is written for a caller who may not make the call. */
async function fileOf(
  { actors }: RouteContext,
  { bodyFile: form, access }: Route,
  request: IncomingMessage,
  { principal }: Caller,
): Promise<string | null> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (form === undefined || type !== form.type) return null;
  if (access === "write" && principal.access === "read") return null;
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity")
    throw new Fault(
      "invalid",
      `Content-Encoding must be left out with ${form.type}, got ${JSON.stringify(encoding.slice(0, 80))}`,
    );
  return bodyFile(request, join(actors.dataDir, "tmp"), form.bytesMax);
}

/** A file that was sent without its type is read as JSON, and fails as such. */
function withType(error: unknown, type: string): unknown {
  if (!(error instanceof Fault)) return error;
  return new Fault(error.kind, `${error.message}; a file is sent with Content-Type: ${type}`, error.detail);
}
