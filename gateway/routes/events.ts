/** The route of live events. */
import { type EventsQuery, eventTypes } from "../../protocol/events.ts";
import { Fault } from "../../protocol/faults.ts";
import { filterOf } from "../events.ts";
import { EventReply, route } from "../route.ts";

const recentMax = 100;

export const eventRoutes = [
  route({
    id: "listEvents",
    method: "GET",
    path: "/v1/events",
    access: "read",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "What happens, as server-sent events, as it happens",
    description: `Types: ${eventTypes.join(", ")}. Each has \`at\` and the ids it is about. The last 10,000 are kept, over restarts: a reader that gives \`Last-Event-ID\`, or else \`after\`, gets what it has missed; when that is gone, an event \`lost\` with \`count\` comes first. A comment every 15 s. Over MCP: the last 100, at once.`,
    params: null,
    query: "EventsQuery",
    body: null,
    reply: {
      status: 200,
      schema: null,
      mediaTypes: ["text/event-stream"],
      events: "ServiceEvent",
      description: "Events, until the caller disconnects.",
    },
    faults: { 400: "A type is unknown, or after is no id of an event." },
    async handle({ query, actors: { events }, header }) {
      const passes = filterOf(query, typesOf(query));
      // An EventSource that connects again has its first address, and what it has seen in the header.
      const after = lastId(header("last-event-id")) ?? query.after ?? null;
      return new EventReply(
        (response) => events.send(response, passes, after),
        async () =>
          (await events.recent(passes, after, recentMax)).map(({ id, event }) => ({ id, ...event })),
      );
    },
  }),
];

function typesOf({ types }: EventsQuery): string[] | null {
  if (types === undefined) return null;
  const named = types.split(",").map((type) => type.trim());
  const unknown = named.find((type) => !eventTypes.some((known) => known === type));
  if (unknown === undefined) return named;
  throw new Fault(
    "invalid",
    `types must be of ${eventTypes.join(", ")}, got ${JSON.stringify(unknown.slice(0, 80))}`,
  );
}

/** A reader that sends none, or not ours, begins now. */
function lastId(given: string | undefined): number | null {
  return given !== undefined && /^\d{1,15}$/.test(given) ? Number(given) : null;
}
