/** A route: one record for router, gate, OpenAPI document, MCP tools, command line and tests (gateway/README.md, "Routes"). */
import type { ServerResponse } from "node:http";
import type { RequestShapes } from "../protocol/requests.ts";
import type { Access, RunSource } from "../protocol/scalars.ts";
import type { Actors } from "./actors.ts";

export type ShapeName = keyof RequestShapes;
type Shape<Name extends ShapeName | null> = Name extends ShapeName
  ? RequestShapes[Name]
  : Record<string, never>;

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
  source: RunSource | null;
  /** On routes with `bodyFile`: the file with the body's bytes, which is removed after the call. */
  file?: string;
  /** Only on routes that are `idempotent`. */
  idempotencyKey?: string;
  /** A header of the request over HTTP. */
  header(name: string): string | undefined;
  /** Calls `act` if the caller disconnects before the reply. */
  onGone(act: () => void): void;
  document(): object;
}

/** Written as JSON; `JsonBytes` is JSON already, `Media` is not JSON, null means 204. */
export type Reply = object | null;
export class JsonBytes {
  readonly bytes: Uint8Array;
  /** Beside those of every reply. */
  readonly headers: Record<string, string>;

  constructor(bytes: Uint8Array, headers: Record<string, string> = {}) {
    this.bytes = bytes;
    this.headers = headers;
  }
}

/** A picture or a document. Agents get `about` beside it. */
export class Media {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly about: object;

  constructor(type: string, bytes: Uint8Array, about: object) {
    this.type = type;
    this.bytes = bytes;
    this.about = about;
  }
}

/** A file of this machine, sent as it is. A `temporary` one is removed once it has been read. */
export class FileBody {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly temporary: boolean;

  constructor(path: string, name: string, { type = "application/octet-stream", temporary = false } = {}) {
    this.path = path;
    this.name = name;
    this.type = type;
    this.temporary = temporary;
  }
}

/** Text that is made while it is sent. `parts` begins before the reply, so that its first fault becomes the reply. */
export class TextStream {
  readonly type: string;
  readonly name: string;
  readonly parts: AsyncIterable<string>;

  constructor(type: string, name: string, parts: AsyncIterable<string>) {
    this.type = type;
    this.name = name;
    this.parts = parts;
  }
}

/** Server-sent events, until the caller disconnects. */
export class EventReply {
  readonly send: (response: ServerResponse) => void;
  /** The events so far, for callers that cannot wait. */
  readonly recent: () => Promise<object[]>;

  constructor(send: (response: ServerResponse) => void, recent: () => Promise<object[]>) {
    this.send = send;
    this.recent = recent;
  }
}

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof methods)[number];

export interface RouteRecord<
  Params extends ShapeName | null,
  Query extends ShapeName | null,
  Body extends ShapeName | null,
> {
  id: string;
  method: Method;
  path: `/v1/${string}`;
  access: Access;
  /** Counts against the token's budget (protocol/README.md, "Limits"). */
  expensive: boolean;
  tag: "Profiles" | "Proxies" | "Datasets" | "Page" | "Scripts" | "Runs" | "Schedules" | "Service";
  /** Whose text the reply can contain besides that of the caller and the service: it is marked for agents (gateway/README.md, "MCP"). */
  quotes: "page" | "script" | "dataset" | "proxy" | null;
  summary: string;
  description?: string;
  params: Params;
  query: Query;
  body: Body;
  /** Takes an Idempotency-Key: a retry with the same key and request gets the first one's result. */
  idempotent?: boolean;
  bodyExamples?: Record<string, { summary: string; value: object }>;
  /** The field that a body stands for when it is an array or text/plain. */
  bodyForms?: { array: string; text: string };
  /** A body of this type is not JSON: its bytes are in the call's `file`. */
  bodyFile?: { type: string; bytesMax: number };
  /** A missing body counts as `{}`. */
  bodyOptional?: boolean;
  /** `schema` null: no body, or bytes of one of `mediaTypes`; `array`: a list of it. */
  reply: {
    status: 200 | 204;
    schema: string | null;
    array?: boolean;
    mediaTypes?: readonly string[];
    /** The data of each server-sent event. */
    events?: string;
    description: string;
  };
  /** When each 4xx status of the route's own happens; 401, 403, 429 and 500 follow from the rest. */
  faults: Partial<Record<400 | 404 | 409, string>>;
  /** Running profiles that the call names; restarts their idle timers. Page verbs need none. */
  names?(call: Call<Shape<Params>, Shape<Query>, Shape<Body>>): string[];
  handle(call: Call<Shape<Params>, Shape<Query>, Shape<Body>>): Promise<Reply>;
}

/** A route without its static types: the gate checks the shapes. */
export type Route = Omit<
  RouteRecord<ShapeName | null, ShapeName | null, ShapeName | null>,
  "names" | "handle"
> & {
  names?(call: Call<unknown, unknown, unknown>): string[];
  handle(call: Call<unknown, unknown, unknown>): Promise<Reply>;
};

/** The shape of the parameters in braces. */
function paramsIn(path: string): ShapeName | null {
  if (path.includes("{name}")) return "RunFileParams";
  if (path.includes("{profile_id}")) return "RunProfileParams";
  if (path.includes("{checkpoint_id}")) return "CheckpointParams";
  if (path.includes("{tab_id}")) return "TabParams";
  if (path.includes("{download_id}")) return "DownloadParams";
  return path.includes("{id}") ? "IdParams" : null;
}

export function route<
  Params extends ShapeName | null,
  Query extends ShapeName | null,
  Body extends ShapeName | null,
>(record: RouteRecord<Params, Query, Body>): Route {
  const where = `route ${record.id}`;
  if (record.params !== paramsIn(record.path)) {
    throw new TypeError(`${where}: the path and its params disagree`);
  }
  if (record.method === "GET" && record.body !== null) throw new TypeError(`${where}: a GET has no body`);
  const hasBody = record.reply.schema !== null || record.reply.mediaTypes !== undefined;
  if ((record.reply.status === 204) === hasBody && record.id !== "readOpenapi") {
    throw new TypeError(`${where}: 204 and only 204 answers without a body`);
  }
  return record as unknown as Route; // The gate checks the shapes before it calls `handle`.
}
