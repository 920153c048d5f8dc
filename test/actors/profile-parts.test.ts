/** Parts of a profile that need no browser: idle timer, directory lock, switches, last output, snapshot text. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import type { Protocol } from "../../actors/profile/cdp/session.ts";
import { StderrTail } from "../../actors/profile/chromium/stderr-tail.ts";
import { environmentOf, switchesOf } from "../../actors/profile/chromium/switches.ts";
import { claimUserDataDir, noteOwnLock } from "../../actors/profile/chromium/user-data.ts";
import { createIdleTimer } from "../../actors/profile/idle-timer.ts";
import { AxTree } from "../../actors/profile/page/ax-tree.ts";
import { selected, snapshotText } from "../../actors/profile/page/snapshot-cut.ts";
import { type FrameNodes, linesOfFrame } from "../../actors/profile/page/snapshot-text.ts";

test("the idle timer counts from the last touch, stands still while paused, and never fires at 0", async () => {
  const clock = new ManualClock();
  let fired = 0;
  const idle = createIdleTimer(clock, 10, () => {
    fired += 1;
  });
  await clock.advance(9_999);
  idle.touch();
  await clock.advance(9_999);
  assert.equal(fired, 0);
  const one = idle.hold();
  const other = idle.hold();
  idle.touch();
  await clock.advance(60_000);
  one();
  one();
  await clock.advance(60_000);
  assert.equal(fired, 0, "another pause is still active");
  other();
  await clock.advance(10_000);
  assert.equal(fired, 1);
  idle.close();
  createIdleTimer(clock, 0, () => assert.fail("never"));
  assert.equal(clock.pending, 0);
});

test("a live owner's lock is refused, a dead one's removed, and one of another host refused", async () => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-lock-"));
  const lock = join(dir, "profile", "SingletonLock");
  assert.equal(await claimUserDataDir(join(dir, "profile")), true);
  assert.equal(await claimUserDataDir(join(dir, "profile")), false);
  await symlink(`elsewhere-1`, lock);
  await assert.rejects(claimUserDataDir(join(dir, "profile")), {
    kind: "conflict",
    message: `the profile's browser directory is in use by elsewhere-1 (host-pid); stop it there, or remove ${lock} if it has ended`,
  });
  // A browser of this service, started when the machine had another name.
  await noteOwnLock(join(dir, "profile"), 1);
  assert.equal(await readFile(join(dir, "profile", "TroupeLock"), "utf8"), `${hostname()}-1`);
  await writeFile(join(dir, "profile", "TroupeLock"), "elsewhere-1");
  assert.equal(await claimUserDataDir(join(dir, "profile")), false);
  await assert.rejects(readlink(lock), { code: "ENOENT" });
  await symlink(`elsewhere-2`, lock);
  await assert.rejects(claimUserDataDir(join(dir, "profile")), { kind: "conflict" });
  await rm(lock);
  // This process lives, but is no browser of that directory: the number was reused.
  await symlink(`${hostname()}-${process.pid}`, lock);
  await claimUserDataDir(join(dir, "profile"));
  await assert.rejects(readlink(lock), { code: "ENOENT" });
  await mkdir(dir, { recursive: true });
  await rm(dir, { recursive: true });
});

test("a browser that names the directory by another path owns its lock; one of another directory does not", async () => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-lock-"));
  await mkdir(join(dir, "profile"));
  await symlink(join(dir, "profile"), join(dir, "alias"));
  const lock = join(dir, "profile", "SingletonLock");
  for (const [named, holds] of [
    ["alias", true],
    ["other", false],
  ] as const) {
    // Looks like a browser, of which only process id and command line are known.
    const args = [
      "-e",
      "setInterval(() => {}, 1000)",
      "--",
      "chromium",
      `--user-data-dir=${join(dir, named)}`,
    ];
    const browser = spawn(process.execPath, args, { stdio: "ignore" });
    await once(browser, "spawn");
    await rm(lock, { force: true });
    await symlink(`${hostname()}-${browser.pid}`, lock);
    const claim = claimUserDataDir(join(dir, "profile"));
    if (holds)
      await assert.rejects(claim, {
        kind: "conflict",
        message: new RegExp(`in use by process ${browser.pid}`),
      });
    else assert.equal(await claim, false);
    browser.kill("SIGKILL");
    await once(browser, "close");
  }
  await rm(dir, { recursive: true });
});

test("a browser of an earlier service is awaited, and killed when it does not end by itself", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-lock-"));
  t.after(() => rm(dir, { recursive: true }));
  const lock = join(dir, "SingletonLock");
  for (const endsItself of [true, false]) {
    const args = [
      "-e",
      "process.stdin.resume()",
      "--",
      "--remote-debugging-pipe=cbor",
      `--user-data-dir=${dir}`,
    ];
    const browser = spawn(process.execPath, args, { stdio: ["pipe", "ignore", "ignore"] });
    t.after(() => browser.kill("SIGKILL"));
    const ended = once(browser, "close");
    await once(browser, "spawn");
    await symlink(`${hostname()}-${browser.pid}`, lock);
    const claim = claimUserDataDir(dir, endsItself ? 60_000 : 0, 0);
    if (endsItself) browser.stdin.end();
    assert.equal(await claim, false);
    const [, signal] = await ended;
    assert.equal(signal, endsItself ? null : "SIGKILL");
    await assert.rejects(readlink(lock), { code: "ENOENT" });
  }
});

test("the sandbox is off only for root, headless only on request, and the timezone is in the environment", () => {
  const input = { userDataDir: "/data", headless: false, asRoot: false };
  assert.ok(!switchesOf(input).some((name) => /no-sandbox|headless/.test(name)));
  assert.ok(switchesOf({ ...input, asRoot: true }).includes("--no-sandbox"));
  const unseen = ["--headless=new", "--animation-duration-scale=0"];
  for (const name of unseen) {
    assert.ok(switchesOf({ ...input, headless: true }).includes(name));
    assert.ok(!switchesOf({ ...input, headless: false }).includes(name));
  }
  const names = switchesOf(input).map((name) => name.split("=")[0]);
  assert.equal(new Set(names).size, names.length, "a second switch of a name would replace the first");
  assert.deepEqual(environmentOf({ A: "1" }, { timezone: "Asia/Tokyo" }), { A: "1", TZ: "Asia/Tokyo" });
  assert.deepEqual(environmentOf({ A: "1" }, { timezone: null }), { A: "1" });
});

test("the last output is limited and without irrelevant lines", () => {
  const tail = new StderrTail();
  tail.add(Buffer.from("[1:1:ERROR:dbus/bus.cc] Failed to connect\n"));
  assert.equal(tail.lastWords(), "no output on stderr");
  for (let line = 0; line < 10_000; line++) tail.add(Buffer.from(`line ${line}\n`));
  assert.equal(tail.lastWords(), "line 9996 | line 9997 | line 9998 | line 9999");
});

type AxNode = Protocol.Accessibility.AXNode;

function node(
  id: number,
  role: string,
  name: string,
  childIds: number[],
  more: Partial<AxNode> = {},
): AxNode {
  const value = { type: "computedString" as const, value: name };
  return {
    nodeId: String(id),
    ignored: false,
    role: { type: "role", value: role },
    name: value,
    childIds: childIds.map(String),
    backendDOMNodeId: id,
    ...more,
  };
}

const content = (nodes: AxNode[], children: FrameNodes["children"] = new Map()): FrameNodes => {
  const tree = new AxTree(nodes);
  return { tree, top: tree.root, showTop: false, idOf: (backendNodeId) => backendNodeId, children };
};
const linesOf = (frame: FrameNodes, cut = {}) =>
  snapshotText("first", selected(linesOfFrame(frame), cut), cut)
    .split("\n")
    .slice(1);

test("ignored nodes have no line, and their children take their place", () => {
  const lines = linesOf(
    content([
      node(1, "RootWebArea", "T", [2]),
      node(2, "none", "", [3, 6], { ignored: true }),
      node(3, "generic", "", [4, 5]),
      node(4, "StaticText", "one  two", []),
      node(5, "StaticText", "three", []),
      node(6, "button", "Save", [7]),
      node(7, "StaticText", "Save", []),
    ]),
  );
  assert.deepEqual(lines, ['text "one two three" [id=3]', 'button "Save" [id=6]']);
});

test("states and values are on the element's line, and frames below their element", () => {
  const property = (name: string, value: unknown) => ({ name, value: { type: "token", value } }) as never;
  const inner = content([
    node(1, "RootWebArea", "Inner", [2]),
    node(2, "paragraph", "", [3]),
    node(3, "StaticText", "in", []),
  ]);
  const lines = linesOf(
    content(
      [
        node(1, "RootWebArea", "T", [2, 3, 4]),
        node(2, "textbox", "Mail", [], {
          value: { type: "string", value: "a@b" },
          properties: [property("required", true), property("invalid", "true"), property("readonly", false)],
        }),
        node(3, "heading", "H", [], { properties: [property("level", 2)] }),
        node(4, "Iframe", "frame", []),
      ],
      new Map([[4, inner]]),
    ),
  );
  assert.deepEqual(lines, [
    'textbox "Mail" [id=2] value="a@b" required invalid',
    'heading "H" [id=3] level=2',
    'iframe "frame" [id=4]',
    "  paragraph [id=2]: in",
  ]);
});

const shop = () =>
  content([
    node(1, "RootWebArea", "T", [2, 3, 8, 10]),
    node(2, "heading", "News", []),
    node(3, "navigation", "", [4]),
    node(4, "list", "", [5, 6]),
    node(5, "listitem", "", [7]),
    node(6, "listitem", "", [11]),
    node(7, "link", "Home", []),
    node(8, "heading", "Sale", []),
    node(10, "paragraph", "", [12, 13]),
    node(11, "StaticText", "no link", []),
    node(12, "StaticText", "Only today", []),
    node(13, "button", "Buy", []),
  ]);

test("interactive shows interactive elements, the landmarks around them and the headings before them", () => {
  assert.deepEqual(linesOf(shop(), { interactive: true }), [
    'heading "News" [id=2]',
    "navigation [id=3]",
    '  link "Home" [id=7]',
    'heading "Sale" [id=8]',
    'button "Buy" [id=13]',
  ]);
});

test("depth counts what it leaves out; max_chars cuts at a line and marks the cut", () => {
  assert.deepEqual(linesOf(shop(), { depth: 1 }), [
    'heading "News" [id=2]',
    "navigation [id=3] … 4 more below",
    'heading "Sale" [id=8]',
    "paragraph [id=10] … 2 more below",
  ]);
  const whole = linesOf(shop());
  assert.deepEqual(linesOf(shop(), { max_chars: ["first", ...whole].join("\n").length }), whole);
  const cut = linesOf(shop(), { max_chars: 50 });
  assert.deepEqual(cut.slice(0, -1), whole.slice(0, 2));
  assert.match(cut.at(-1) ?? "", /^… cut after 3 of 11 lines/);
});

test("a replaced subtree takes the old one's place, except under another parent", () => {
  const tree = content([
    node(1, "RootWebArea", "T", [2, 3]),
    node(2, "list", "", [4], { parentId: "1" }),
    node(3, "button", "Stay", [], { parentId: "1" }),
    node(4, "listitem", "old", [], { parentId: "2" }),
  ]);
  const part = [
    node(2, "list", "", [5], { parentId: "1" }),
    node(5, "listitem", "new", [], { parentId: "2" }),
  ];
  assert.equal(tree.tree.replace(part), true);
  assert.equal(tree.tree.size, 4);
  assert.deepEqual(linesOf(tree), ["list [id=2]", '  listitem "new" [id=5]', 'button "Stay" [id=3]']);
  assert.equal(tree.tree.replace([node(9, "list", "", [], { parentId: "1" })]), false);
  assert.equal(tree.tree.replace([]), false);
});
