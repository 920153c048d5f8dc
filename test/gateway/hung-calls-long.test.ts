/** Commands on a service that is stopped or hangs end with a sentence; slow calls on one that answers do not. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connectApp } from "../../gateway/app-client.ts";
import { openApi } from "../../gateway/cli/api.ts";
import { unlessHung } from "../../gateway/hung-calls.ts";
import { writeInstance } from "../../gateway/instance.ts";
import { command } from "./in-process.ts";

let data: string;
let silent: Server;
let sleeper: ChildProcess;
let pid: number;
before(async () => {
  data = await mkdtemp(join(tmpdir(), "troupe-hung-"));
  silent = await listening(() => {});
  sleeper = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  assert.ok(sleeper.pid !== undefined);
  pid = sleeper.pid;
  writeInstance(data, { pid, url: urlOf(silent).href, secret: "x", version: null });
});
after(async () => {
  sleeper.kill("SIGKILL");
  silent.closeAllConnections();
  silent.close();
  await rm(data, { recursive: true, force: true });
});

async function listening(answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}

const urlOf = (server: Server) => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
const brief = { lookAfterMs: 50, answerMs: 100 };
/** For a service that answers, also on a busy machine. */
const patient = { ...brief, answerMs: 10_000 };

test("every way to a stopped service ends within seconds with its process id and the remedy", async () => {
  sleeper.kill("SIGSTOP");
  const instance = { pid, url: urlOf(silent).href, secret: "x", version: null };
  const startedAt = performance.now();
  const told = await Promise.allSettled([
    command("status", "--data", data),
    connectApp(instance, 3_600_000).backup({ file: "/nowhere", passphrase: null }),
    openApi({ data }).call({ method: "POST", path: "/v1/profiles", body: {} }),
  ]);
  assert.ok(performance.now() - startedAt < 25_000);
  const words =
    process.platform === "linux" ? `is stopped and does not answer; continue it with: kill -CONT` : "";
  const [status, ...calls] = told;
  assert.ok(status.status === "fulfilled");
  assert.equal(status.value.code, 1);
  assert.match(status.value.stderr, new RegExp(`^troupe: the service, process ${pid}, ${words}`));
  for (const call of calls) {
    assert.ok(call.status === "rejected");
    assert.match(String(call.reason), new RegExp(`the service, process ${pid}, ${words}`));
  }
  sleeper.kill("SIGCONT");
});

test("a service that runs and hangs is named, and one at another address by its URL", async () => {
  const never = () => new Promise<never>(() => {});
  const url = urlOf(silent);
  await assert.rejects(unlessHung({ url, pid: process.pid }, never, brief), {
    message: new RegExp(`process ${process.pid}, does not answer; .*kill -KILL ${process.pid}`),
  });
  await assert.rejects(unlessHung({ url, pid: null }, never, brief), {
    message: `${url.origin} does not answer; check the service there`,
  });
});

test("a hung call is aborted, also in the middle of a reply", async () => {
  const signals: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  };
  await assert.rejects(unlessHung({ url: urlOf(silent), pid: null }, work, brief));
  assert.ok(signals[0]?.aborted);
});

test("a slow call is awaited while the service answers others, and errors pass", async () => {
  const busy = await listening((request, response) => {
    if (request.method === "HEAD") response.writeHead(401).end();
  });
  const url = urlOf(busy);
  try {
    const slow = () => new Promise<string>((resolve) => setTimeout(resolve, 600, "done"));
    assert.equal(await unlessHung({ url, pid: null }, slow, patient), "done");
    await assert.rejects(
      unlessHung({ url, pid: null }, () => Promise.reject(new Error("refused"))),
      /refused/,
    );
  } finally {
    busy.closeAllConnections();
    busy.close();
  }
  // Nobody listens there any more: the call itself says so.
  const late = () => new Promise<never>((_, reject) => setTimeout(reject, 300, new Error("ECONNREFUSED")));
  await assert.rejects(unlessHung({ url, pid: null }, late, patient), /ECONNREFUSED/);
});
