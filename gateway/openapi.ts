/** The OpenAPI 3.1 document, generated from the route records and the wire's schemas. */
import { limits } from "../protocol/limits.ts";
import type { Route } from "./route.ts";
import { type Schema, schemas } from "./schemas.ts";

/** protocol/README.md, "What the service does". */
export const apiVersion = "1.0.0";

const errorContent = { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } };
const seconds = (description: string) => ({ description, schema: { type: "integer", minimum: 0 } });
const budgetHeaders = {
  "RateLimit-Limit": seconds("Expensive calls allowed per rolling 60 s; absent when the budget is off."),
  "RateLimit-Remaining": seconds("Expensive calls left in the window."),
  "RateLimit-Reset": seconds("Seconds until one more call is allowed."),
};

export function openapiDocument(routes: readonly Route[], baseUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operation(route);
    paths[route.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Troupe",
      version: apiVersion,
      summary: "Browser profiles as real Chromium processes, on the user's own machine.",
      description:
        "A local REST API. Every call carries a bearer token, minted in the application. A running profile's `cdpUrl` speaks the Chrome DevTools Protocol to any client on this machine.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl, description: "This machine" }],
    security: [{ bearer: [] }],
    tags: [
      { name: "Profiles", description: "Profiles and the browser pool that runs them." },
      { name: "Proxies", description: "Proxy pools and their assignment to profiles." },
      { name: "Datasets", description: "Tables of rows for profiles and runs." },
      { name: "Page", description: "Driving the page of a running profile." },
      { name: "Scripts", description: "Raw scripts: save, read, run." },
      { name: "Runs", description: "Runs and their results." },
      { name: "Schedules", description: "Scripts that run at set times." },
      { name: "Service", description: "The service itself." },
    ],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token minted in the application." },
      },
      schemas: usedSchemas(routes),
    },
  };
}

function operation(route: Route): object {
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    "x-service-access": route.access,
    ...parameters(route),
    ...requestBody(route),
    responses: responses(route),
  };
}

function parameters(route: Route): object {
  const of = (name: string | null, where: "path" | "query") => {
    const schema = name === null ? undefined : schemas[name];
    return Object.entries(schema?.properties ?? {}).map(([key, property]) => ({
      name: key,
      in: where,
      required: where === "path" || (schema?.required?.includes(key) ?? false),
      ...(property.description === undefined ? {} : { description: property.description }),
      schema: property,
    }));
  };
  const all = [
    ...of(route.params, "path"),
    ...of(route.query, "query"),
    ...(route.idempotent === true ? [idempotencyKey] : []),
  ];
  return all.length === 0 ? {} : { parameters: all };
}

function requestBody(route: Route): object {
  if (route.body === null) return {};
  const schema = { $ref: `#/components/schemas/${route.body}` };
  const examples = route.bodyExamples === undefined ? {} : { examples: route.bodyExamples };
  return {
    requestBody: {
      required: route.bodyOptional !== true,
      content: {
        "application/json": { schema: bodySchema(route, schema), ...examples },
        ...bytesBody(route),
      },
    },
  };
}

function bodySchema({ bodyForms }: Route, schema: object): object {
  return bodyForms === undefined ? schema : { oneOf: [schema, { type: "array", items: {} }] };
}

/** Without the text form of a body, because generated clients would have to choose between two types. */
function bytesBody({ bodyFile }: Route): object {
  return bodyFile === undefined ? {} : { [bodyFile.type]: {} };
}

function responses(route: Route): object {
  const headers = route.expensive ? { headers: budgetHeaders } : {};
  const faults = { 400: "The query or the body has an unknown key.", ...route.faults };
  const failures = Object.fromEntries(
    Object.entries(faults).map(([status, description]) => [
      status,
      { description, ...headers, content: errorContent },
    ]),
  );
  return {
    [route.reply.status]: { description: route.reply.description, ...headers, ...replyContent(route) },
    ...failures,
    401: { description: "No token, or an unknown one. The body is empty." },
    403: {
      description:
        "The plan or the token's access class refuses the call; or, with an empty body, the Host header is not loopback.",
      content: errorContent,
    },
    ...(route.expensive ? { 429: tooMany } : {}),
    500: { description: "The service failed; the message says what failed.", content: errorContent },
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A retry with the same key and the same request starts nothing: it returns the run of the first call in its current state. The same key with another request is a 409. Each token has its own keys, which are kept as long as their run.",
  schema: { type: "string", minLength: 1, maxLength: limits.idempotencyKeyCharsMax, pattern: "^[!-~]+$" },
};

const tooMany = {
  description: "More than 30 expensive calls in 60 s for this token.",
  headers: { "Retry-After": seconds("Seconds to wait."), ...budgetHeaders },
  content: errorContent,
};

function replyContent(route: Route): object {
  if (route.reply.status === 204) return {};
  const bytes = Object.fromEntries(
    (route.reply.mediaTypes ?? []).map((type) => [type, contentOf(route, type)]),
  );
  if (route.reply.mediaTypes !== undefined && route.reply.schema === null) return { content: bytes };
  if (route.reply.schema === null) return { content: { "application/json": { schema: { type: "object" } } } };
  const one = { $ref: `#/components/schemas/${route.reply.schema}` };
  return {
    content: {
      "application/json": { schema: route.reply.array === true ? { type: "array", items: one } : one },
      ...bytes,
    },
  };
}

/** As generators expect it: for an event stream the data of one event, for the others text or bytes. */
function contentOf({ reply }: Route, type: string): object {
  if (type === "text/event-stream")
    return reply.events === undefined ? {} : { schema: { $ref: `#/components/schemas/${reply.events}` } };
  const isText = /^text\/|\/jsonl$/.test(type);
  return { schema: { type: "string", ...(isText ? {} : { format: "binary" }) } };
}

function usedSchemas(routes: readonly Route[]): Record<string, Schema> {
  const used: Record<string, Schema> = {};
  const use = (name: string) => {
    const schema = schemas[name];
    if (schema === undefined) throw new TypeError(`no schema is called ${name}`);
    if (name in used) return;
    used[name] = schema;
    reach(schema);
  };
  const reach = (schema: Schema) => {
    for (const match of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g))
      use(String(match[1]));
  };
  use("ErrorBody");
  for (const route of routes) {
    if (route.body !== null) use(route.body);
    for (const name of [route.reply.schema, route.reply.events]) if (name) use(name);
    for (const name of [route.params, route.query]) {
      const schema = name === null ? undefined : schemas[name];
      if (schema !== undefined) reach(schema);
    }
  }
  return used;
}
