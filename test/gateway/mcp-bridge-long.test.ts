/** `troupe mcp` with the official clients of both protocol eras, each starting the command as a user's client does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { routes } from "../../gateway/routes/all.ts";
import { command } from "./in-process.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";
import { troupe, troupeFed } from "./serve.ts";

const built = fileURLToPath(new URL("../../dist/troupe.js", import.meta.url));
const info = { name: "test", version: "1" };

let running: TestService;
before(async () => {
  running = await startTestService();
});
after(() => running.stop());

interface Result {
  isError?: boolean | undefined;
  content: { type: string; text?: string }[];
  structuredContent?: unknown;
}
interface ToolClient {
  protocol: string | undefined;
  names(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  close(): Promise<void>;
}

const started = (env: Record<string, string>, flags: string[]) => ({
  command: process.execPath,
  args: [built, "mcp", "--data", running.dataDir, ...flags],
  env,
});

async function modern(env: Record<string, string> = {}, flags: string[] = []): Promise<ToolClient> {
  const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } });
  await client.connect(new ModernStdio(started(env, flags)));
  return {
    protocol: client.getNegotiatedProtocolVersion(),
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
    close: () => client.close(),
  };
}

async function legacy(env: Record<string, string> = {}, flags: string[] = []): Promise<ToolClient> {
  const client = new LegacyClient(info);
  await client.connect(new LegacyStdio(started(env, flags)));
  return {
    protocol: undefined,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
    close: () => client.close(),
  };
}

for (const { era, connect, protocol } of [
  { era: "2026", connect: modern, protocol: "2026-07-28" },
  { era: "2025", connect: legacy, protocol: undefined },
]) {
  test(`a client of ${era} lists and calls tools through the bridge as the user`, async () => {
    const client = await connect();
    assert.equal(client.protocol, protocol);
    assert.equal((await client.names()).length, routes.length - 1);
    const [id] = await createProfiles(running.client, 1);
    const listed = await client.call("list_profiles");
    assert.deepEqual(listed.structuredContent, { items: (await running.client.get("/v1/profiles")).body });
    assert.deepEqual((await client.call("stop_profile", { id })).structuredContent, { ok: true });
    const refused = await client.call("launch_profile", { id, headles: true });
    assert.equal(refused.isError, true);
    assert.match(refused.content[0]?.text ?? "", /^invalid request: .*headles/);
    const many = await Promise.all(Array.from({ length: 10 }, () => client.call("get_capacity")));
    assert.ok(many.every(({ isError }) => isError === undefined));
    await client.close();
  });

  test(`a client of ${era} with a read token in TROUPE_TOKEN sees only read tools; --tools core gives a small set`, async () => {
    const name = `reader-${era}`;
    const { stdout } = await command(
      "token",
      "mint",
      name,
      "--access",
      "read",
      "--json",
      "--data",
      running.dataDir,
    );
    const reader = await connect({ TROUPE_TOKEN: JSON.parse(stdout).token });
    const names = await reader.names();
    assert.equal(names.length, routes.filter(({ access }) => access === "read").length - 1);
    assert.ok(!names.includes("launch_profile"));
    const core = await connect({}, ["--tools", "core"]);
    const small = await core.names();
    assert.ok(small.includes("launch_profile") && !small.includes("create_profiles"));
    await Promise.all([reader.close(), core.close()]);
  });
}

test("invalid input gets a JSON-RPC error, and the bridge exits at the end of its input", async () => {
  const call = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list", params: {} });
  const { code, stdout } = await troupeFed(`nonsense\n\n${call}\n`, "mcp", "--data", running.dataDir);
  assert.equal(code, 0);
  const replies = stdout
    .trimEnd()
    .split("\n")
    .map((line): { id: number | null; error?: { code: number } } => JSON.parse(line));
  assert.deepEqual(
    replies.map(({ id, error }) => [id, error?.code]).sort(),
    [
      [7, undefined],
      [null, -32700],
    ].sort(),
  );
});

test("a cancelled call is abandoned and gets no reply", async () => {
  const mute = createServer(() => {}).listen(0, "127.0.0.1");
  await once(mute, "listening");
  try {
    const address = mute.address();
    assert.ok(typeof address === "object" && address !== null);
    const lines = [`127.0.0.1:${address.port}`];
    const made = await running.client.post("/v1/proxy-pools", { name: "mute", lines });
    const { id } = (made.body as { pool: { id: string } }).pool;
    const messages = [
      { id: 1, method: "tools/call", params: { name: "test_proxy_pool", arguments: { id } } },
      { method: "notifications/cancelled", params: { requestId: 1 } },
      { id: 2, method: "tools/call", params: { name: "get_capacity", arguments: {} } },
    ];
    const input = messages.map((message) => JSON.stringify({ jsonrpc: "2.0", ...message })).join("\n");
    const { code, stdout } = await troupeFed(`${input}\n`, "mcp", "--data", running.dataDir);
    assert.equal(code, 0);
    const ids = stdout.trimEnd().split("\n");
    assert.deepEqual(
      ids.map((line) => JSON.parse(line).id),
      [2],
    );
  } finally {
    mute.close();
  }
});

test("an unknown token, or a plan without the API, is the error of the call", async () => {
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  await command("settings", "plan.api=false", "--data", running.dataDir);
  const refused = await troupeFed(`${call}\n`, "mcp", "--data", running.dataDir);
  assert.match(
    JSON.parse(refused.stdout).error.message,
    /^forbidden: the plan "full" does not include the API/,
  );
  await command("settings", "plan.api=true", "--data", running.dataDir);
  process.env.TROUPE_TOKEN = "unknown";
  try {
    const unknown = await troupeFed(`${call}\n`, "mcp", "--data", running.dataDir);
    assert.match(JSON.parse(unknown.stdout).error.message, /401/);
  } finally {
    delete process.env.TROUPE_TOKEN;
  }
  assert.equal((await troupe("mcp", "--data", `${running.dataDir}/none`)).code, 1);
});
