/** A REST client for tests. It validates every reply against the service's OpenAPI document. */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { Agent, request } from "undici";

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed JSON, or the bytes of another type. */
  body: unknown;
}

export interface Ask {
  body?: unknown;
  rawBody?: string | Buffer;
  token?: string | null;
  headers?: Record<string, string>;
}

interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

export interface Client {
  call(method: string, path: string, ask?: Ask): Promise<Reply>;
  get(path: string, ask?: Ask): Promise<Reply>;
  post(path: string, body?: unknown, ask?: Ask): Promise<Reply>;
  close(): Promise<void>;
}

export async function createClient(baseUrl: string, token: string): Promise<Client> {
  const agent = new Agent({ keepAliveTimeout: 1_000 });
  const send = async (method: string, path: string, ask: Ask = {}): Promise<Reply> => {
    const bearer = ask.token === undefined ? token : ask.token;
    const body = ask.rawBody ?? (ask.body === undefined ? null : JSON.stringify(ask.body));
    const reply = await request(new URL(path, baseUrl), {
      method: method as "GET",
      dispatcher: agent,
      headersTimeout: 150_000,
      headers: { ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }), ...ask.headers },
      body,
    });
    // Server-sent events do not end.
    const isLive = reply.headers["content-type"] === "text/event-stream";
    if (isLive) reply.body.on("error", () => {}).destroy();
    const bytes = isLive ? Buffer.alloc(0) : Buffer.from(await reply.body.arrayBuffer());
    const isJson = reply.headers["content-type"] === "application/json";
    const read = isJson ? JSON.parse(bytes.toString("utf8")) : bytes;
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: bytes.length === 0 ? undefined : read,
    };
  };
  const { body } = await send("GET", "/v1/openapi.json");
  const validate = replyValidator(body as Document);
  const call = async (method: string, path: string, ask?: Ask): Promise<Reply> => {
    const reply = await send(method, path, ask);
    validate(method, path, reply);
    return reply;
  };
  return {
    call,
    get: (path, ask) => call("GET", path, ask),
    post: (path, given, ask) => call("POST", path, given === undefined ? ask : { body: given, ...ask }),
    close: () => agent.close(),
  };
}

function replyValidator(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "urn:troupe:doc", components: document.components });
  const compiled = new Map<object, ValidateFunction>();
  const validatorOf = (schema: object) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"urn:troupe:doc#/components/');
    const made = ajv.compile(JSON.parse(text));
    compiled.set(schema, made);
    return made;
  };
  return (method: string, path: string, { status, headers, body }: Reply) => {
    const where = `${method} ${path} → ${status}`;
    const operation = operationOf(document, method, path.split("?")[0] ?? "");
    if (operation === undefined) {
      assert.ok([401, 403, 404, 405].includes(status), `${where}: an unknown operation must be refused`);
      return;
    }
    // The service refuses these before it chooses the operation.
    if (status === 413 || status === 405) return;
    const response = operation.responses[status];
    assert.ok(response, `${where} is not in the OpenAPI document: ${JSON.stringify(body)}`);
    const schema = response.content?.["application/json"]?.schema;
    if (body === undefined) {
      assert.ok(schema === undefined || status === 403, `${where} must have a body`);
      return;
    }
    if (Buffer.isBuffer(body)) {
      const [type = ""] = String(headers["content-type"]).split(";");
      assert.ok(response.content?.[type], `${where} has no ${type} in the document`);
      return;
    }
    assert.ok(schema, `${where} must have no body`);
    const check = validatorOf(schema);
    assert.ok(
      check(body),
      `${where}: ${ajv.errorsText(check.errors)}\n${JSON.stringify(body).slice(0, 2_000)}`,
    );
  };
}

function operationOf(document: Document, method: string, path: string): Operation | undefined {
  for (const [template, item] of Object.entries(document.paths)) {
    const pattern = new RegExp(`^${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]*")}$`);
    if (pattern.test(path) && !(path !== template && path in document.paths))
      return item[method.toLowerCase()];
  }
  return undefined;
}
