/** The route that hands a profile to the user. */
import { randomUUID } from "node:crypto";
import { limits } from "../../protocol/limits.ts";
import { route } from "../route.ts";

export const handoffRoutes = [
  route({
    id: "handOver",
    method: "POST",
    path: "/v1/profiles/{id}/handoff",
    access: "write",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "Hand a running profile to the user, and wait until it is handed back",
    description:
      "The control page shows the message and the live page, and takes mouse and keyboard. Meanwhile the profile's verbs are 409 `handed to the user`. For captchas, codes and consent that only the user can give. It ends when the caller disconnects.",
    params: "IdParams",
    query: null,
    body: "HandoffBody",
    bodyExamples: {
      code: {
        summary: "A code",
        value: { message: "Type the code that was sent to you", timeout_ms: 300000 },
      },
    },
    reply: {
      status: 200,
      schema: "HandoffReply",
      description: "handed_back, refused (the user does not want to), or timed_out.",
    },
    faults: {
      400: "The id is not a uuid, or message or timeout_ms is missing or out of range.",
      409: "The profile does not run, or the user has it already.",
    },
    names: ({ params }) => [params.id],
    async handle({ params, body, actors, onGone }) {
      const page = await actors.page(params.id.toLowerCase());
      const ticket = randomUUID();
      onGone(() => void page.leaveHandoff({ ticket }).catch(() => {})); // It ends with the browser too.
      const timeoutMs = body.timeout_ms ?? limits.handoffMs.usual;
      return page.handoff({ message: body.message, timeoutMs, ticket });
    },
  }),
];
