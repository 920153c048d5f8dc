/** The life of one browser: launch, stop and crash, and what remains after each. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readlink, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { startThread } from "../../actors/kernel/thread.ts";
import type { ProfileControlApi } from "../../protocol/messages/profile.ts";
import { conflict } from "../conflict.ts";
import { quietLog } from "./fixture/log.ts";
import { nobodyNames, processesNaming } from "./fixture/processes.ts";
import { chromiumPath, createTestProfile, makeDir, profileId, removeDir } from "./fixture/profile.ts";
import { openSite, type Site } from "./fixture/site.ts";

let dir: string;
let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site.close());
beforeEach(async () => {
  dir = await makeDir();
});
afterEach(async () => {
  await nobodyNames(dir);
  await removeDir(dir);
});

const page = (path: string) => ({ url: site.origin + path });

test("a launch returns a working cdpUrl, and a stop returns when every process has exited", async () => {
  const profile = createTestProfile(dir);
  const launched = await profile.open();
  assert.deepEqual(
    // On a busy machine there is also a notice that it is slow.
    [
      launched.headless,
      launched.diagnostic,
      profile.notices.filter(({ notice }) => notice !== "browser-slow"),
    ],
    [true, false, [{ notice: "browser-spawned", pid: launched.pid }]],
  );
  const version = (await (await fetch(`${launched.cdpUrl}/json/version`)).json()) as Record<string, string>;
  assert.match(version.webSocketDebuggerUrl ?? "", /^ws:\/\/127\.0\.0\.1:/);
  assert.deepEqual((await profile.page.evaluate({ expression: "[navigator.webdriver, 1 + 1]" })).result, [
    false,
    2,
  ]);
  const zone = "Intl.DateTimeFormat().resolvedOptions().timeZone";
  assert.equal((await profile.page.evaluate({ expression: zone })).result, "Asia/Tokyo");
  await assert.rejects(profile.open(), conflict(/already running/));
  await profile.control.stop({});
  assert.deepEqual(await processesNaming(dir), []);
  assert.deepEqual(profile.notices.at(-1), {
    notice: "browser-ended",
    status: "stopped",
    reason: "it was stopped",
  });
  assert.equal(await profile.exited, 0);
  assert.equal(await profile.control.stop({}), null);
  await assert.rejects(profile.page.navigate(page("/")), conflict(/is stopping: it was stopped/));
});

test("cookies and storage persist to the next launch, also what a page writes that asks whether it may close", async () => {
  const first = createTestProfile(dir);
  await first.open();
  await first.page.navigate(page("/cookie"));
  await first.page.evaluate({ expression: "localStorage.setItem('kept', 'yes')" });
  await first.page.navigate(page("/dialogs"));
  const { node_id } = await first.page.waitForElement({ selector: "#ask", timeout_ms: 2_000 });
  await first.page.click({ node_id }); // A page may ask only after a user's input.
  const expression = "addEventListener('pagehide', () => localStorage.setItem('left', 'unasked'))";
  await first.page.evaluate({ expression });
  await first.control.stop({});
  const second = createTestProfile(dir);
  await second.open();
  await second.page.navigate(page("/"));
  const { result } = await second.page.evaluate({
    expression: "[document.cookie, localStorage.getItem('kept'), localStorage.getItem('left')]",
  });
  assert.deepEqual(result, ["visit=once", "yes", "unasked"]);
  await second.control.stop({});
});

test("a stop fails current and queued calls", async () => {
  const profile = createTestProfile(dir);
  await profile.open();
  const calls = ["new Promise(() => {})", "1"].map((expression) =>
    assert.rejects(profile.page.evaluate({ expression }), conflict(/is stopping/)),
  );
  await profile.control.stop({});
  await Promise.all(calls);
  assert.equal(existsSync(join(profile.userDataDir, "SingletonLock")), false);
});

test("a browser killed from outside is crashed, leaves nothing behind, and can launch again", async () => {
  const profile = createTestProfile(dir);
  const { pid } = await profile.open();
  const call = assert.rejects(
    profile.page.evaluate({ expression: "new Promise(() => {})" }),
    conflict(/has crashed: the browser ended by itself \(signal SIGKILL\)/),
  );
  const socket = await readlink(join(profile.userDataDir, "SingletonSocket"));
  assert.ok(existsSync(dirname(socket)));
  process.kill(pid, "SIGKILL");
  await profile.exited;
  await call;
  assert.equal(existsSync(dirname(socket)), false, "the socket's directory must be removed");
  assert.deepEqual(profile.notices.at(-1), {
    notice: "browser-ended",
    status: "crashed",
    reason: "the browser ended by itself (signal SIGKILL)",
  });
  assert.deepEqual(await processesNaming(dir), []);
  await assert.rejects(readlink(join(profile.userDataDir, "SingletonLock")), { code: "ENOENT" });
  const next = createTestProfile(dir);
  await next.open();
  await next.control.stop({});
});

test("a browser that a client closes over CDP is stopped", async () => {
  const profile = createTestProfile(dir);
  const { cdpUrl } = await profile.open();
  const version = (await (await fetch(`${cdpUrl}/json/version`)).json()) as { webSocketDebuggerUrl: string };
  const { default: WebSocket } = await import("ws");
  const socket = new WebSocket(version.webSocketDebuggerUrl);
  socket.once("open", () => socket.send(JSON.stringify({ id: 1, method: "Browser.close" })));
  socket.on("error", () => {}); // The close is expected.
  await profile.exited;
  socket.terminate();
  const last = profile.notices.at(-1);
  assert.deepEqual(
    [last?.notice, last?.notice === "browser-ended" && last.status],
    ["browser-ended", "stopped"],
  );
});

test("an engine that fails to start is named in the error, with its last output, and leaves nothing behind", async () => {
  const engine = join(dir, "engine.sh");
  await writeFile(engine, "#!/bin/sh\necho 'no such library: libfoo' >&2\nexit 7\n");
  await chmod(engine, 0o755);
  const broken = createTestProfile(dir, { chromium: engine });
  await assert.rejects(
    broken.open(),
    conflict(/engine failed to start: exit code 7: no such library: libfoo/),
  );
  assert.equal(await broken.exited, 0);
  const missing = createTestProfile(dir, { chromium: join(dir, "nothing") });
  await assert.rejects(
    missing.open({ diagnostic: true }),
    conflict(/engine failed to start: .*\/nothing(: No such file or directory| ENOENT)/),
  );
  assert.equal(existsSync(broken.userDataDir), false);
  assert.deepEqual(await readdir(broken.tempDir), []);
});

test("a stop during a launch aborts it and leaves nothing behind", async () => {
  const profile = createTestProfile(dir);
  const launch = assert.rejects(profile.open(), conflict(/stopped while it was starting/));
  while (profile.notices.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await profile.control.stop({});
  await launch;
  assert.equal(await profile.exited, 0);
  assert.equal(existsSync(profile.userDataDir), false);
});

test("a lock of a dead owner is removed, and a live owner's lock is refused with its process id", async () => {
  const first = createTestProfile(dir);
  await mkdir(first.userDataDir, { recursive: true });
  const dead = 2 ** 22 + 1; // Above the highest process id.
  await symlink(`${hostname()}-${dead}`, join(first.userDataDir, "SingletonLock"));
  const { pid } = await first.open();
  const second = createTestProfile(dir);
  await assert.rejects(second.open(), conflict(new RegExp(`in use by process ${pid}`)));
  assert.equal((await first.page.evaluate({ expression: "1" })).result, 1);
  await first.control.stop({});
});

test("a diagnostic launch shows the machine's own zone and leaves no directory and no cookie", async () => {
  const profile = createTestProfile(dir);
  const launched = await profile.open({ diagnostic: true });
  assert.equal(launched.diagnostic, true);
  await profile.page.navigate(page("/cookie"));
  const zone = "Intl.DateTimeFormat().resolvedOptions().timeZone";
  assert.notEqual((await profile.page.evaluate({ expression: zone })).result, "Asia/Tokyo");
  const whileOpen = await readdir(profile.tempDir);
  await profile.control.stop({});
  assert.equal(whileOpen.length, 1);
  assert.deepEqual(await readdir(profile.tempDir), []);
  assert.equal(existsSync(profile.userDataDir), false);
});

test("use keeps a profile running; an idle one is stopped at its timeout", async () => {
  const clock = new ManualClock();
  const profile = createTestProfile(dir, { clock });
  await profile.open({ idleTimeoutSecs: 60 });
  await clock.advance(59_000);
  const call = profile.page.evaluate({ expression: "new Promise((done) => setTimeout(done, 100))" });
  await clock.advance(600_000);
  await call;
  await clock.advance(59_000);
  assert.equal((await profile.page.evaluate({ expression: "1" })).result, 1);
  await clock.advance(60_000);
  await profile.exited;
  assert.deepEqual(profile.notices.at(-1), {
    notice: "browser-ended",
    status: "stopped",
    reason: "it was idle",
  });
});

test("a terminated thread's browser ends too", async () => {
  const config = {
    engine: {
      chromiumPath,
      tempDir: join(dir, "temp"),
      hasDisplay: false,
      launchesAtOnce: 1,
    },
  };
  const thread = startThread<ProfileControlApi>("profile", config, { log: quietLog });
  await thread.ready;
  const launched = await thread.api.launch({
    spec: {
      profileId,
      name: "Test",
      os: "linux",
      timezone: "UTC",
      userDataDir: join(dir, "user-data"),
      fingerprint: null,
      languages: [],
      proxy: null,
      uploadsDir: join(dir, "uploads"),
    },
    options: { diagnostic: false, headless: true, idleTimeoutSecs: 0 },
    warmRunner: null,
  });
  assert.ok((await processesNaming(dir)).includes(launched.pid));
  await thread.terminate();
  await nobodyNames(dir);
});
