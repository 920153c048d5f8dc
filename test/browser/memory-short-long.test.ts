/** A service in a memory control group that another program fills: no browser starts, the reason is named, and what waits goes on by itself. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { type Client, createClient } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { processesNaming, type Served, serve, until } from "../gateway/serve.ts";

const mib = 2 ** 20;
const limitMib = 1_536;

interface Group {
  dir: string;
  add(pid: number): void;
}

/** Below the root of either version; null where this user may make none. */
function makeGroup(): Group | null {
  const second = existsSync("/sys/fs/cgroup/cgroup.controllers");
  const dir = join(second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory", `troupe-test-${process.pid}`);
  try {
    mkdirSync(dir);
    writeFileSync(join(dir, second ? "memory.max" : "memory.limit_in_bytes"), String(limitMib * mib));
    return { dir, add: (pid) => writeFileSync(join(dir, "cgroup.procs"), String(pid)) };
  } catch {
    return null;
  }
}

const group = makeGroup();
const inGroup = (name: string, run: (t: TestContext) => Promise<void>): void => {
  if (group === null) process.stderr.write(`skipped: ${name}: this user may make no memory group\n`);
  else void test(name, run);
};
let dir: string;
let service: Served;
let client: Client;
let ids: string[];

before(async () => {
  if (group === null) return;
  dir = await mkdtemp(join(tmpdir(), "troupe-short-"));
  service = await serve(dir, "--mint", "short");
  group.add(service.pid);
  client = await createClient(service.apiUrl, service.token);
  ids = await createProfiles(client, 4);
});
after(async () => {
  if (group === null) return;
  await client.close();
  await service.end("SIGTERM");
  await until("no browser is left", () => processesNaming(dir).length === 0);
  await rm(dir, { recursive: true, force: true });
  await until("the group is empty", () => readFileSync(join(group.dir, "cgroup.procs"), "utf8") === "");
  rmdirSync(group.dir);
});

/** Takes what the group has left, but for 300 MiB; in steps, as fast as a program may that reads a large file. */
async function fill({ dir: groupDir, add }: Group): Promise<ChildProcess> {
  const used =
    ["memory.current", "memory.usage_in_bytes"].find((name) => existsSync(join(groupDir, name))) ?? "";
  const take = limitMib - 300 - Math.ceil(Number(readFileSync(join(groupDir, used), "utf8")) / mib);
  const code = `process.stdin.once("data", () => {
    const kept = [];
    const more = () => {
      for (let at = 0; at < 10 && kept.length < ${take}; at++) kept.push(Buffer.alloc(2 ** 20, 1));
      if (kept.length < ${take}) return setTimeout(more, 50);
      console.log(kept.length);
    };
    more();
  })`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["pipe", "pipe", "inherit"] });
  add(child.pid ?? 0);
  child.stdin?.write("go");
  await once(child.stdout ?? child, "data");
  return child;
}

const launch = (id = "", more: object = {}) =>
  client.post(`/v1/profiles/${id}/launch`, { headless: true, ...more });

inGroup(
  "launches are refused with the reason, browsers that run stay, and what waits goes on by itself",
  async (t) => {
    assert.ok(group);
    assert.equal((await launch(ids[0])).status, 200);
    const { body: before } = await client.get("/v1/capacity");
    const other = await fill(group);
    t.after(() => other.kill("SIGKILL"));
    const refused = await launch(ids[1]);
    assert.equal(refused.status, 409);
    assert.match(
      String(Object(refused.body).error),
      /^(?:conflict: )?memory is short: \d+ MiB are free, and a browser needs \d+ MiB; close other programs, or stop a profile$/,
    );
    const late = await launch(ids[1], { wait_ms: 1 });
    assert.deepEqual(
      [late.status, /^(?:conflict: )?memory is short/.test(String(Object(late.body).error))],
      [409, true],
    );
    const waiting = launch(ids[2], { wait_ms: 120_000 });
    await until("it waits", async () => Object((await client.get("/v1/capacity")).body).queued === 1);
    assert.deepEqual(Object((await client.get("/v1/capacity")).body), {
      ...Object(before),
      queued: 1,
      memory_short: true,
    });
    assert.equal((await client.post(`/v1/profiles/${ids[0]}/evaluate`, { expression: "1 + 1" })).status, 200);
    other.kill("SIGKILL");
    assert.equal((await waiting).status, 200);
    assert.equal(service.stderr().match(/no browser starts for now/g)?.length, 1);
    assert.match(service.stderr(), /browsers start again/);
  },
);
