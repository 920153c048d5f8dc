/** MCP over the API's listener with the official clients of both protocol eras: tools, access and budget. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { request } from "undici";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import { routes } from "../../gateway/routes/all.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

const nowhere = "7d9f5f6e-3a55-4b5e-9f2e-1c2d3e4f5a6b";

let running: TestService;
let url: URL;
let readToken: string;
before(async () => {
  running = await startTestService();
  url = new URL("/mcp", running.service.apiUrl ?? "");
  const instance = readInstance(running.dataDir);
  assert.ok(instance);
  readToken = (await connectApp(instance).mintToken({ name: "reader", access: "read" })).token;
});
after(() => running.stop());

interface ToolClient {
  protocol: string | undefined;
  names(): Promise<string[]>;
  tools(): Promise<{ name: string; annotations?: object | undefined; inputSchema: object }[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  close(): Promise<void>;
}
interface Result {
  isError?: boolean | undefined;
  content: { type: string; text?: string }[];
  structuredContent?: unknown;
}

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const info = { name: "test", version: "1" };

async function modern(token: string, at: URL = url): Promise<ToolClient> {
  const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } });
  await client.connect(new ModernTransport(at, bearer(token)));
  const tools = async () => (await client.listTools()).tools;
  return {
    protocol: client.getNegotiatedProtocolVersion(),
    tools,
    names: async () => (await tools()).map(({ name }) => name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
    close: () => client.close(),
  };
}

async function legacy(token: string, at: URL = url): Promise<ToolClient> {
  const client = new LegacyClient(info);
  const transport = new LegacyTransport(at, bearer(token));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const tools = async () => (await client.listTools()).tools;
  return {
    protocol: transport.protocolVersion,
    tools,
    names: async () => (await tools()).map(({ name }) => name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
    close: () => client.close(),
  };
}

const eras = [
  { era: "2026", connect: modern, protocol: "2026-07-28" },
  { era: "2025", connect: legacy, protocol: "2025-11-25" },
];

for (const { era, connect, protocol } of eras) {
  test(`a client of ${era} speaks ${protocol}; a write token sees a tool for every operation, a read token only read tools`, async () => {
    const writer = await connect(running.token);
    assert.equal(writer.protocol, protocol);
    const operations = routes.filter((route) => route.id !== "readOpenapi");
    const all = await writer.names();
    assert.equal(all.length, operations.length);
    assert.deepEqual(all, [...all].sort());
    const reader = await connect(readToken);
    const readable = await reader.tools();
    assert.equal(readable.length, operations.filter((route) => route.access === "read").length);
    for (const { annotations } of readable)
      assert.equal(Reflect.get(annotations ?? {}, "readOnlyHint"), true);
    await assert.rejects(
      reader.call("launch_profile", { id: nowhere }),
      /Unknown tool: launch_profile takes a token that may write$/,
    );
    await Promise.all([writer.close(), reader.close()]);
  });

  test(`a client of ${era} gets the same body and the same error text as over REST`, async () => {
    const [id] = await createProfiles(running.client, 1);
    const client = await connect(running.token);
    const listed = await client.call("list_profiles");
    const { body } = await running.client.get("/v1/profiles");
    assert.deepEqual(listed.structuredContent, { items: body });
    assert.deepEqual(JSON.parse(listed.content[0]?.text ?? ""), { items: body });
    const capacity = await client.call("get_capacity");
    assert.deepEqual(capacity.structuredContent, (await running.client.get("/v1/capacity")).body);
    assert.deepEqual((await client.call("stop_profile", { id })).structuredContent, { ok: true });

    const faults: [string, Record<string, unknown>, string, string, unknown][] = [
      [
        "page_navigate",
        { id, url: "http://127.0.0.1/" },
        "POST",
        `/v1/profiles/${id}/navigate`,
        { url: "http://127.0.0.1/" },
      ],
      ["launch_profile", { id: nowhere }, "POST", `/v1/profiles/${nowhere}/launch`, {}],
      ["launch_profile", { id, headles: true }, "POST", `/v1/profiles/${id}/launch`, { headles: true }],
      ["create_profiles", { count: 51 }, "POST", "/v1/profiles", { count: 51 }],
      ["list_runs", { limit: 0 }, "GET", "/v1/runs?limit=0", undefined],
    ];
    for (const [tool, args, method, path, json] of faults) {
      const result = await client.call(tool, args);
      assert.equal(result.isError, true, tool);
      const ask = json === undefined ? {} : { body: json };
      const rest = (await running.client.call(method, path, ask)).body as { error: string };
      assert.equal(result.content[0]?.text, rest.error);
    }
    await client.close();
  });

  test(`a client of ${era} without a token, or with an unknown one, is refused`, async () => {
    await assert.rejects(connect("unknown"), (error: Error & { code?: unknown }) => {
      return error.code === 401 || /401/.test(error.message);
    });
  });
}

test("?profile=core gives a small set; another name is refused", async () => {
  const core = new URL("?profile=core", url);
  const client = await modern(running.token, core);
  const names = await client.names();
  assert.ok(
    names.includes("launch_profile") && names.includes("page_snapshot") && names.includes("page_wait_for"),
  );
  assert.ok(!names.includes("create_profiles"));
  const small = JSON.stringify(await client.tools()).length;
  const whole = await modern(running.token);
  const large = JSON.stringify(await whole.tools()).length;
  assert.ok(small < large / 2, `core ${small} of ${large} characters`);
  assert.ok(small <= 12 * 1024, `core has ${small} characters`);
  assert.ok(names.includes("page_answer_dialog"), "nothing else accepts a confirm");
  await assert.rejects(
    client.call("page_set_file"),
    /Unknown tool: page_set_file is not a core tool; connect without profile=core/,
  );
  await assert.rejects(client.call("page_fly"), /Unknown tool: page_fly$/);
  await assert.rejects(modern(running.token, new URL("?profile=tiny", url)), /profile must be all or core/);
  await Promise.all([client.close(), whole.close()]);
});

test("a request with an Origin answers 403, a GET 405; an unknown protocol version is answered with the supported ones", async () => {
  const ask = (method: "GET" | "POST", headers: Record<string, string>, body: object | null) =>
    request(url, {
      method,
      headers: {
        authorization: `Bearer ${running.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: body === null ? null : JSON.stringify(body),
    });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const foreign = await ask("POST", { origin: "http://evil.example" }, list);
  assert.equal(foreign.statusCode, 403);
  assert.equal(await foreign.body.text(), "");
  assert.equal((await ask("GET", {}, null)).statusCode, 405);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2099-01-01",
    "io.modelcontextprotocol/clientInfo": info,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const future = await ask(
    "POST",
    { "mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list" },
    { ...list, params: { _meta } },
  );
  assert.equal(future.statusCode, 400);
  const { error } = (await future.body.json()) as { error: { code: number; data: { supported: string[] } } };
  assert.equal(error.code, -32022);
  assert.ok(error.data.supported.includes("2026-07-28"));
});

test("MCP calls and REST calls share one budget", async () => {
  const limited = await startTestService({ expensiveCallsMax: 2 });
  const client = await modern(limited.token, new URL("/mcp", limited.service.apiUrl ?? ""));
  assert.equal((await client.call("create_profiles", { count: 1 })).isError, undefined);
  assert.equal((await limited.client.post("/v1/profiles", { count: 1 })).status, 200);
  const third = await client.call("create_profiles", { count: 1 });
  assert.equal(third.isError, true);
  assert.match(
    third.content[0]?.text ?? "",
    /^rate limited: more than 2 expensive calls in 60 s .*try again in \d+ s$/,
  );
  await client.close();
  await limited.stop();
});
