/** The routes of a running profile's tabs. */
import { limits } from "../../protocol/limits.ts";
import { route } from "../route.ts";

const running = "The profile does not exist or is not running";
const unknown = "The profile has no such tab open.";
const badId = "The id is not a uuid.";
const tabs = { access: "write", expensive: false, tag: "Page", query: null } as const;

export const tabRoutes = [
  route({
    ...tabs,
    id: "listTabs",
    method: "GET",
    path: "/v1/profiles/{id}/tabs",
    access: "read",
    quotes: "page",
    summary: "The tabs of a running profile",
    params: "IdParams",
    body: null,
    reply: { status: 200, schema: "TabRecord", array: true, description: "The current one first." },
    faults: { 400: badId, 409: `${running}.` },
    handle: async ({ params, actors }) => (await actors.page(params.id)).listTabs({}),
  }),
  route({
    ...tabs,
    id: "openTab",
    method: "POST",
    path: "/v1/profiles/{id}/tabs",
    quotes: "page",
    summary: "Open a tab, which becomes the current one",
    params: "IdParams",
    body: "OpenTabBody",
    bodyOptional: true,
    reply: { status: 200, schema: "TabRecord", description: "The tab." },
    faults: {
      400: "The id is not a uuid, or the body does not fit.",
      409: `${running}, or the load failed (net::ERR_…) or did not end within ${limits.navigateTimeoutMs / 1_000} s; then the tab stays.`,
    },
    handle: async ({ params, body, actors }) => (await actors.page(params.id)).openTab(body),
  }),
  route({
    ...tabs,
    id: "activateTab",
    method: "POST",
    path: "/v1/profiles/{id}/tabs/{tab_id}/activate",
    quotes: "page",
    summary: "Make a tab the current one",
    params: "TabParams",
    body: null,
    reply: {
      status: 204,
      schema: null,
      description: "It is in front, and operations without a tab_id work on it.",
    },
    faults: { 400: badId, 404: unknown, 409: `${running}.` },
    handle: async ({ params, actors }) =>
      (await actors.page(params.id)).activateTab({ tabId: params.tab_id }),
  }),
  route({
    ...tabs,
    id: "closeTab",
    method: "DELETE",
    path: "/v1/profiles/{id}/tabs/{tab_id}",
    quotes: "page",
    summary: "Close a tab",
    params: "TabParams",
    body: null,
    reply: { status: 204, schema: null, description: "It is closed." },
    faults: { 400: badId, 404: unknown, 409: `${running}, or the tab does not close.` },
    handle: async ({ params, actors }) => (await actors.page(params.id)).closeTab({ tabId: params.tab_id }),
  }),
] as const;
