/** The pool with real profile threads and browsers: after every kind of end, status and slot are right within a second. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { WebSocket } from "ws";
import type { PortLike } from "../../actors/kernel/wire.ts";
import { until } from "../gateway/serve.ts";
import { a, b, c, idOf, one, poolOfThree, remotePage } from "./fixture/pool-of-three.ts";

const { on, launch, pageOf, statusOf, active, ending } = poolOfThree();

async function tellBrowser(cdpUrl: string, method: string): Promise<void> {
  const version = (await (await fetch(`${cdpUrl}/json/version`)).json()) as { webSocketDebuggerUrl: string };
  const socket = new WebSocket(version.webSocketDebuggerUrl);
  await new Promise<void>((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ id: 1, method }));
  await new Promise<void>((resolve) => socket.once("close", resolve));
}

test("a profile thread that ends also ends its browser: crashed, slot free, and it can launch again", async () => {
  await ending(async () => void (await on.taken[0]?.terminate()), "crashed");
});

test("a launch that may wait uses the browser of another launch; when that launch fails, it opens its own", async () => {
  const [launched, joined] = await Promise.all([launch(a), launch(a, true)]);
  assert.deepEqual([joined.pid, joined.joined, launched.joined], [launched.pid, true, undefined]);
  assert.deepEqual([(await launch(a, true)).joined, await active()], [true, 1]);
  await assert.rejects(launch(a), { kind: "conflict", message: /is already running/ });
  const stopped = assert.rejects(launch(b), /was stopped while it started/);
  const own = launch(b, true);
  await until("profile b is starting", async () => (await statusOf(b)) === "starting");
  await on.pool.stop({ profileId: b });
  await stopped;
  assert.equal((await own).joined, undefined);
  assert.equal(await statusOf(b), "running");
});

test("a thread whose profile was stopped runs the next one, which the first one's callers cannot reach", async () => {
  await launch(a);
  const { port } = await on.pool.connect({ profileId: a });
  const { api: page } = remotePage(port as PortLike);
  const told = once(port, "close");
  assert.equal((await page.evaluate({ expression: "window.mine = 1" })).result, 1);
  const meanwhile = assert.rejects(page.evaluate({ expression: "new Promise(() => {})" }), {
    kind: "conflict",
  });
  await on.pool.stop({ profileId: a });
  await Promise.all([meanwhile, told]);
  await launch(b);
  assert.equal(on.taken[1], on.taken[0]);
  await assert.rejects(on.pool.connect({ profileId: a }), { kind: "conflict", message: /not running/ });
  assert.equal((await (await pageOf(b)).evaluate({ expression: "typeof window.mine" })).result, "undefined");
  await on.pool.stop({ profileId: b });
  await assert.rejects(on.taken[0]?.api.connect({ port: new MessageChannel().port1 }) ?? Promise.resolve(), {
    kind: "conflict",
  });
});

test("a thread whose browser crashed runs no other profile", async () => {
  const { pid } = await launch(a);
  process.kill(pid, "SIGKILL");
  await until("the slot is free", async () => (await active()) === 0);
  await launch(b);
  await launch(c);
  assert.equal(new Set(on.taken).size, 3);
});

test("when a client closes the browser over CDP, the profile is stopped and its slot free", async () => {
  await ending(({ cdpUrl }) => tellBrowser(cdpUrl, "Browser.close"), "stopped");
});

test("a crash of the browser process is reported as a crash", async () => {
  await ending(({ cdpUrl }) => tellBrowser(cdpUrl, "Browser.crash"), "crashed");
});

test("a crashed renderer fails the current verb, affects no other profile, and can navigate again", async () => {
  await launch(a);
  await launch(b);
  const [page, other] = [await pageOf(a), await pageOf(b)];
  await assert.rejects(page.navigate({ url: "chrome://crash" }), { kind: "invalid" });
  const { cdpUrl } = (await on.pool.live({})).find(({ profileId }) => profileId === a) ?? {};
  const list = (await (await fetch(`${cdpUrl}/json/list`)).json()) as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const target = list.find(({ type }) => type === "page");
  assert.ok(target);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise<void>((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ id: 1, method: "Page.navigate", params: { url: "chrome://crash" } }));
  await until("the verb reports that the page crashed", () =>
    page.evaluate(one).then(
      () => false,
      (error: { kind?: string }) => error.kind === "conflict",
    ),
  );
  socket.terminate();
  assert.deepEqual([await statusOf(a), await active()], ["running", 2]);
  assert.equal((await other.evaluate(one)).result, 42);
  await page.navigate({ url: "data:text/html,<p>back" });
  assert.equal((await page.evaluate({ expression: "document.body.innerText" })).result, "back");
  await on.pool.stop({ profileId: a });
  await launch(a);
  assert.equal((await (await pageOf(a)).evaluate(one)).result, 42);
});

test("a page in an endless loop delays no other profile, and its own profile can be stopped", async () => {
  await launch(a);
  await launch(b);
  const [page, other] = [await pageOf(a), await pageOf(b)];
  const spinning = assert.rejects(page.evaluate({ expression: "for (;;);" }), { kind: "conflict" });
  let spins = true;
  const spun = spinning.finally(() => (spins = false));
  assert.equal((await other.evaluate(one)).result, 42);
  assert.deepEqual([await statusOf(a), await active()], ["running", 2]);
  assert.ok(spins, "the other profile is answered during the loop");
  await on.pool.stop({ profileId: a });
  await spun;
  assert.deepEqual([await statusOf(a), await active()], ["stopped", 1]);
  await launch(a);
  assert.equal((await (await pageOf(a)).evaluate(one)).result, 42);
});

test("a script whose caller is gone is ended, and the profile keeps running", async () => {
  await launch(a);
  const { port } = await on.pool.connect({ profileId: a });
  const remote = remotePage(port as PortLike);
  const unanswered = remote.api.runScript({
    runId: idOf(9),
    source: "export default async function run({ sleep }) { await sleep(600_000); }",
    scriptName: "endless",
    library: "puppeteer",
    approved: true,
    variables: {},
    scratchDir: join(on.dir, "scratch"),
    timeoutMs: 600_000,
  });
  unanswered.catch(() => {}); // Its port is closed below.
  const workspaces = () =>
    readdirSync(join(on.dir, "tmp")).filter((name) => name.startsWith("script-")).length;
  await until("the script has its workspace", () => existsSync(join(on.dir, "tmp")) && workspaces() > 0);
  port.close();
  await until("the script's process and workspace are gone", () => workspaces() === 0);
  assert.equal((await (await pageOf(a)).evaluate(one)).result, 42);
});

test("a wait that is cancelled while the profile's browser is closing is refused too", async () => {
  await launch(a);
  const stopping = on.pool.stop({ profileId: a });
  const waiting = assert.rejects(launch(a, true), /no longer waits/);
  await on.pool.cancelWait({ profileId: a });
  await Promise.all([waiting, stopping]);
  assert.equal(await active(), 0);
});

test("a launch while an idle browser is being closed waits for its end", async () => {
  const options = { headless: true, diagnostic: false, idleTimeoutSecs: 1 };
  const idle = await on.pool.launch({ profileId: a, options, wait: false, warmRunner: null });
  const isEnding = () =>
    on.pool.connect({ profileId: a }).then(
      () => false,
      (fault: Error) => /stopping/.test(fault.message),
    );
  await until("the profile is closing", isEnding, 5);
  const next = await launch(a);
  assert.notEqual(next.pid, idle.pid);
  assert.equal(await active(), 1);
});

test("a stop ends a launch in progress, and a launch waits for a stop in progress", async () => {
  const starting = launch(a).then(
    () => "launched",
    (error: Error) => error.message,
  );
  await until("profile a is starting", async () => (await statusOf(a)) === "starting");
  await on.pool.stop({ profileId: a });
  assert.match(await starting, /was stopped while it/);
  assert.equal(await active(), 0);
  await launch(a);
  const stopping = on.pool.stop({ profileId: a });
  const again = launch(a);
  await stopping;
  await again;
  assert.equal(await statusOf(a), "running");
});
