/** The routes that drive the page of a running profile. */
import { limits } from "../../protocol/limits.ts";
import type { ProfilePageApi } from "../../protocol/messages/profile.ts";
import type { RequestShapes } from "../../protocol/requests.ts";
import { type Reply, type Route, route, type ShapeName } from "../route.ts";

type Verb<Body> = (page: ProfilePageApi, body: Body) => Promise<Reply>;

interface VerbText {
  id: string;
  path: `/v1/profiles/{id}/${string}`;
  summary: string;
  description?: string;
  conflict: string;
  replySchema?: string;
  access?: "read";
}

/** A POST on the tab of a running profile, whose thread restarts its own idle timer. */
function verb<Name extends ShapeName>(text: VerbText, body: Name, act: Verb<RequestShapes[Name]>): Route {
  const { conflict, replySchema, access, ...rest } = text;
  return route<"IdParams", null, Name>({
    ...rest,
    method: "POST",
    access: access ?? "write",
    expensive: false,
    tag: "Page",
    quotes: "page",
    params: "IdParams",
    query: null,
    body,
    reply: { status: 200, schema: replySchema ?? "PageReply", description: "The verb has been carried out." },
    faults: {
      400: "The id is not a uuid, or the body does not fit.",
      409: `The profile does not exist or is not running, or ${conflict}.`,
    },
    // The gate has checked the body against this shape.
    handle: async (call) => act(await call.actors.page(call.params.id), call.body as RequestShapes[Name]),
  });
}

const element = "the element is gone";

export const pageRoutes = [
  verb(
    {
      id: "navigate",
      path: "/v1/profiles/{id}/navigate",
      summary: "Load a URL in the profile's tab and wait for the load event",
      conflict: "the load failed (net::ERR_…) or did not end within 60 s",
    },
    "NavigateBody",
    (page, { url }) => page.navigate({ url }),
  ),
  route({
    id: "snapshot",
    method: "GET",
    path: "/v1/profiles/{id}/snapshot",
    access: "read",
    expensive: false,
    tag: "Page",
    quotes: "page",
    summary: "Accessibility snapshot of the page as text, with [id=N] for each element",
    description: "Without query parameters it is the whole page; they select a part.",
    params: "IdParams",
    query: "SnapshotQuery",
    body: null,
    reply: { status: 200, schema: "SnapshotReply", description: "The page as text." },
    faults: {
      400: "The id is not a uuid, or the query does not fit; the selector is not CSS.",
      409: "The profile does not exist or is not running, or nothing matches the selector.",
    },
    handle: async ({ params, query, actors }) => {
      const { max_chars: maxChars, ...rest } = query;
      const page = await actors.page(params.id);
      return page.snapshot(maxChars === undefined ? rest : { ...rest, maxChars });
    },
  }),
  verb(
    {
      id: "click",
      path: "/v1/profiles/{id}/click",
      summary: "Click an element with a real mouse",
      description: "Scrolls it into view first. Refuses a hidden or covered element, naming what covers it.",
      conflict: `${element}, hidden or covered`,
    },
    "ClickBody",
    (page, body) => page.click({ nodeId: body.node_id }),
  ),
  verb(
    {
      id: "type",
      path: "/v1/profiles/{id}/type",
      summary: "Focus an element and type text",
      conflict: `${element} or cannot be typed into`,
    },
    "TypeBody",
    (page, body) => page.type({ nodeId: body.node_id, text: body.text }),
  ),
  verb(
    {
      id: "pressKey",
      path: "/v1/profiles/{id}/press-key",
      summary: "Press one named key",
      conflict: "the page does not answer",
    },
    "PressKeyBody",
    (page, { key }) => page.pressKey({ key }),
  ),
  verb(
    {
      id: "scroll",
      path: "/v1/profiles/{id}/scroll",
      summary: "Scroll the page by a number of pixels in one direction",
      conflict: "the page does not answer",
    },
    "ScrollBody",
    (page, { amount, direction }) => page.scroll({ amount, direction }),
  ),
  verb(
    {
      id: "evaluate",
      path: "/v1/profiles/{id}/evaluate",
      summary: "Run JavaScript in the page",
      description:
        "A promise is awaited. The result is JSON of at most 64 KiB; after 10 s the expression is cut off.",
      conflict: "the expression threw, took more than 10 s, or its result is over 64 KiB",
      replySchema: "EvaluateReply",
    },
    "EvaluateBody",
    (page, { expression }) => page.evaluate({ expression }),
  ),
  verb(
    {
      id: "waitForElement",
      path: "/v1/profiles/{id}/wait-for-element",
      summary: "Wait until a CSS selector matches, and give the element's node id",
      conflict: "nothing matched in time",
      replySchema: "WaitForElementReply",
      access: "read",
    },
    "WaitForElementBody",
    (page, body) =>
      page.waitForElement({
        selector: body.selector,
        timeoutMs: body.timeout_ms ?? limits.waitForElementDefaultMs,
      }),
  ),
  verb(
    {
      id: "setFile",
      path: "/v1/profiles/{id}/set-file",
      summary: "Attach a file from the application's uploads folder to a file input",
      description:
        "A path that resolves outside the uploads folder, also through a link, is refused with 400.",
      conflict: `${element} or is not a file input`,
    },
    "SetFileBody",
    (page, body) => page.setFile({ nodeId: body.node_id, path: body.path }),
  ),
];
