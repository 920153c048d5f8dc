/** The README's walk from a token to a click, with a real service and a real browser. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Client, createClient, type Reply } from "../gateway/client.ts";
import {
  commandsOf,
  partsOf,
  requestOf,
  sectionOf,
  shellBlocks,
  type Words,
} from "../gateway/readme-commands.ts";
import { processesNaming, serve } from "../gateway/serve.ts";
import { readRepositoryFile } from "../tidy/tree.ts";

const own = ["--data", "--api", "--port"];

function startFlags(words: Words): string[] {
  const flags = words.slice(words.indexOf("serve") + 1);
  return flags.filter((_word, at) => !own.includes(flags[at - (at % 2)] ?? ""));
}

function send(client: Client, words: Words): Promise<Reply> {
  const { method, url, headers, body } = requestOf(words);
  const ask = { token: null, headers, ...(body === null ? {} : { rawBody: body }) };
  return client.call(method, url.pathname + url.search, ask);
}

function named(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = key === name ? inner : named(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

test("each request of the walk succeeds, and the button shows what the click did", async (t) => {
  const data = await mkdtemp(join(tmpdir(), "troupe-walk-"));
  const section = sectionOf(readRepositoryFile("README.md"), "From a token to a click");
  const [start = "", walk = ""] = shellBlocks(section);
  const [words = []] = commandsOf(start, {});
  const served = await serve(data, ...startFlags(words));
  const client = await createClient(served.apiUrl, served.token);
  t.after(async () => {
    await client.close();
    await served.end("SIGKILL");
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  });

  const env: Record<string, string> = {};
  const replies: { path: string; status: number; body: unknown }[] = [];
  for (const { text, blank } of partsOf(walk)) {
    for (const request of commandsOf(text, env).slice(replies.length)) {
      const { status, body } = await send(client, request);
      const path = String(requestOf(request).url.pathname.split("/").at(-1));
      assert.ok(status === 200 || status === 204, `${path}: ${status} ${JSON.stringify(body)}`);
      replies.push({ path, status, body });
    }
    if (blank === null) continue;
    const [, name] = /^(\w+) of the reply$/.exec(blank.from) ?? [];
    const value = name === undefined ? served.token : named(replies.at(-1)?.body, name);
    assert.ok(value !== undefined, `${blank.name}: the reply has no ${name}`);
    env[blank.name] = String(value);
  }

  const bodyOf = (path: string) => replies.find((reply) => reply.path === path)?.body;
  assert.match((bodyOf("snapshot") as { snapshot: string }).snapshot, /button "Press me"/);
  assert.deepEqual(bodyOf("evaluate"), { result: "42" });
  assert.deepEqual([replies.at(-1)?.path, replies.at(-1)?.status], ["stop", 204]);
  assert.equal((await served.end("SIGTERM")).code, 0);
  assert.deepEqual(processesNaming(data), []);
});
