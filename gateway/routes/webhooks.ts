/** The routes of webhooks. */
import { route } from "../route.ts";
import { badPage, pageOf } from "./list-page.ts";

export const webhookRoutes = [
  route({
    id: "listWebhooks",
    method: "GET",
    path: "/v1/webhooks",
    access: "read",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "List webhooks with their last answers",
    params: null,
    query: "PageQuery",
    body: null,
    reply: { status: 200, schema: "Webhook", array: true, description: "All webhooks, oldest first." },
    faults: { 400: badPage },
    handle: async ({ query, actors }) =>
      pageOf(await actors.library.listWebhooks({}), query, ({ webhook_id }) => webhook_id),
  }),
  route({
    id: "createWebhook",
    method: "POST",
    path: "/v1/webhooks",
    access: "write",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "Send events to an address by POST, from now on",
    description:
      "Signed as Standard Webhooks has it (`webhook-id`, `webhook-timestamp`, `webhook-signature`). An event that is not answered with 2xx within 15 s is sent again for a day, with growing pauses; events of one profile or run stay in order; a receiver may get one twice, with the same `webhook-id`. Redirects are not followed.",
    params: null,
    query: null,
    body: "CreateWebhookBody",
    bodyExamples: {
      runs: {
        summary: "Ends of runs",
        value: { url: "http://127.0.0.1:9000/troupe", types: ["run.ended"] },
      },
    },
    reply: {
      status: 200,
      schema: "CreateWebhookReply",
      description: "The webhook's id, and its secret, which is shown only here.",
    },
    faults: {
      400: "The url is no http or https address, leads to the service itself, or to a host that the user has not allowed.",
      409: "There are 20 webhooks already.",
    },
    handle: ({ body: { url, types = null }, actors }) => actors.operations.createWebhook({ url, types }),
  }),
  route({
    id: "deleteWebhook",
    method: "DELETE",
    path: "/v1/webhooks/{id}",
    access: "write",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "Delete a webhook; what it has not delivered is not sent",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 204, schema: null, description: "Deleted." },
    faults: { 400: "The id is not a uuid.", 404: "No webhook has this id." },
    handle: ({ params, actors }) => actors.operations.deleteWebhook({ webhookId: params.id }),
  }),
];
