/** What a route is: one record that router, gate, OpenAPI document, command line and tests read (gateway/README.md, "Routes"). */
import type { RequestShapes } from "../protocol/requests.ts";
import type { Access, RunSource } from "../protocol/scalars.ts";
import type { Actors } from "./actors.ts";

export type ShapeName = keyof RequestShapes;
type Shape<Name extends ShapeName | null> = Name extends ShapeName
  ? RequestShapes[Name]
  : Record<string, never>;

/** Who calls. */
export interface Principal {
  tokenName: string;
  access: Access;
}

/** A call that has passed the gate. */
export interface Call<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  actors: Actors;
  principal: Principal;
  /** What a run that this call starts bears as its source. */
  source: RunSource | null;
  /** The Idempotency-Key header, on routes that take one. */
  idempotencyKey?: string;
  /** The OpenAPI document of this service, for the route that serves it. */
  document(): object;
}

/** What a handler answers: a value to be written as JSON, bytes that are JSON already, or null for 204. */
export type Reply = object | null;
export class JsonBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export interface RouteRecord<
  Params extends ShapeName | null,
  Query extends ShapeName | null,
  Body extends ShapeName | null,
> {
  /** The operation's id in the OpenAPI document. */
  id: string;
  method: "GET" | "POST";
  /** With `{id}` where the path names a resource. */
  path: `/v1/${string}`;
  access: Access;
  /** Counted against the token's budget (protocol/README.md, "Limits"). */
  expensive: boolean;
  tag: "Profiles" | "Proxies" | "Datasets" | "Page" | "Scripts" | "Runs" | "Schedules" | "Service";
  summary: string;
  description?: string;
  params: Params;
  query: Query;
  body: Body;
  /** Takes an Idempotency-Key: a retry with the same key and request is answered with what the first one made. */
  idempotent?: boolean;
  /** Bodies that callers can begin with, by name, for the OpenAPI document. */
  bodyExamples?: Record<string, { summary: string; value: object }>;
  /** The body may be left out; then it is `{}`. */
  bodyOptional?: boolean;
  /** Status and schema name of the answer; null for no body. `array` for a list of that schema. */
  reply: { status: 200 | 204; schema: string | null; array?: boolean; description: string };
  /** The 4xx statuses of its own, each with when it happens; 401, 403, 429 and 500 follow from the rest. */
  faults: Partial<Record<400 | 404 | 409, string>>;
  /** Running profiles that the call names and whose idle timers it restarts, beside those of the page verbs. */
  names?(call: Call<Shape<Params>, Shape<Query>, Shape<Body>>): string[];
  handle(call: Call<Shape<Params>, Shape<Query>, Shape<Body>>): Promise<Reply>;
}

/** A route whose shapes have been forgotten: the gate checks them before `handle` sees them. */
export type Route = Omit<
  RouteRecord<ShapeName | null, ShapeName | null, ShapeName | null>,
  "names" | "handle"
> & {
  names?(call: Call<unknown, unknown, unknown>): string[];
  handle(call: Call<unknown, unknown, unknown>): Promise<Reply>;
};

/** Declares a route; throws at once on a record that contradicts itself. */
export function route<
  Params extends ShapeName | null,
  Query extends ShapeName | null,
  Body extends ShapeName | null,
>(record: RouteRecord<Params, Query, Body>): Route {
  const where = `route ${record.id}`;
  if (record.path.includes("{id}") !== (record.params === "IdParams")) {
    throw new TypeError(`${where}: the path and its params disagree`);
  }
  if (record.method === "GET" && record.body !== null) throw new TypeError(`${where}: a GET has no body`);
  if (record.method === "GET" && record.access !== "read") throw new TypeError(`${where}: every GET is read`);
  if ((record.reply.status === 204) !== (record.reply.schema === null) && record.id !== "readOpenapi") {
    throw new TypeError(`${where}: 204 and only 204 answers without a body`);
  }
  return record as unknown as Route; // The gate runs the checks that the names stand for before it calls `handle`.
}
