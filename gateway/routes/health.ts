/** The routes of health and metrics. */
import { healthOf } from "../health.ts";
import { route, TextStream } from "../route.ts";

export const healthRoutes = [
  route({
    id: "readHealth",
    method: "GET",
    path: "/v1/health",
    access: "read",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "Whether the service can work; its versions, disk, slots and last snapshot",
    params: null,
    query: null,
    body: null,
    reply: { status: 200, schema: "Health", description: "The state, also when it is not ready." },
    faults: {},
    handle: ({ actors }) => healthOf(actors),
  }),
  route({
    id: "readMetrics",
    method: "GET",
    path: "/v1/metrics",
    access: "read",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "Metrics as Prometheus reads them",
    params: null,
    query: null,
    body: null,
    reply: {
      status: 200,
      schema: null,
      mediaTypes: ["text/plain"],
      description: "Prometheus's text format, version 0.0.4.",
    },
    faults: {},
    async handle({ actors }) {
      const text = await actors.metrics.text(actors);
      return new TextStream("text/plain; version=0.0.4; charset=utf-8", "metrics.txt", one(text));
    },
  }),
];

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}
