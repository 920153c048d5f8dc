/** The routes of the page verbs, from their declarations (protocol/verbs/). */
import { type VerbName, type VerbShapes, verbs } from "../../protocol/generated/verb-table.ts";
import type { MediaReply, VerbEntry } from "../../protocol/verb.ts";
import { Media, type Reply, type Route, route } from "../route.ts";
import { schemas } from "../schemas.ts";

type Shape = keyof VerbShapes;
/** A verb on a profile's port. The gate has checked the input against the verb's shape. */
type Act = (input: unknown) => Promise<object | MediaReply>;

/** An operation on the tab of a running profile, whose thread restarts its own idle timer. */
function routeOf(id: VerbName): Route {
  const verb: VerbEntry<never, Shape> = verbs[id];
  const { method, access, summary, description, mediaTypes } = verb;
  const asks = method === "GET" ? "query" : "body";
  return route<"IdParams", Shape | null, Shape | null>({
    id,
    method,
    path: `/v1/profiles/{id}/${verb.path ?? verb.name}`,
    access,
    expensive: false,
    tag: "Page",
    quotes: "page",
    summary,
    ...(description === undefined ? {} : { description }),
    params: "IdParams",
    query: null,
    body: null,
    [asks]: verb.input,
    bodyOptional: method === "POST" && (schemas[verb.input]?.required ?? []).length === 0,
    reply: {
      status: 200,
      schema: mediaTypes === undefined ? verb.schema : null,
      description: verb.replyText ?? "The verb has been carried out.",
      ...(mediaTypes === undefined ? {} : { mediaTypes }),
    },
    faults: {
      404: "tab_id is no open tab of the profile.",
      400: `The id is not a uuid, or ${verb.invalid ?? `the ${asks} does not fit`}.`,
      409: `The profile does not exist or is not running, or ${verb.conflict}.`,
    },
    handle: async (call) => {
      const page = await call.actors.page(call.params.id);
      return replyOf(await (page[id] as Act)(call[asks]));
    },
  });
}

function replyOf(reply: object | MediaReply): Reply {
  if (!("bytes" in reply)) return reply;
  const { mediaType, bytes, ...rest } = reply;
  return new Media(mediaType, bytes, rest);
}

export const pageRoutes: readonly Route[] = Object.entries(verbs)
  .sort(([, one], [, other]) => one.place - other.place)
  .map(([id]) => routeOf(id as VerbName));
