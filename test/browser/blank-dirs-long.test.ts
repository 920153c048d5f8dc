/** User data directories prepared for first launches: identical for every browser, used once, never a delay for a launch. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type BlankFile, blankMaker, patternIn, takeBlank } from "../../actors/profile/chromium/blank.ts";
import { engineFacts } from "../../actors/profile/identity/engine.ts";
import { openBrowser } from "../../actors/profile/open-browser.ts";
import type { EngineConfig } from "../../protocol/messages/pool.ts";
import { linuxDevice } from "./fixture/identity-devices.ts";
import { chromiumPath, makeDir, profileId, removeDir } from "./fixture/profile.ts";

let dir: string;
beforeEach(async () => {
  dir = await makeDir();
});
afterEach(() => removeDir(dir));

function engineWith(count: number, name = "one"): EngineConfig {
  return {
    chromiumPath,
    tempDir: join(dir, name, "temp"),
    cacheDir: join(dir, name, "cache"),
    hasDisplay: false,
    launchesAtOnce: 1,
    blanks: { dir: join(dir, name, "blank"), count },
  };
}

const readyIn = async ({ blanks }: EngineConfig) =>
  (await readdir(blanks?.dir ?? "")).filter((name) => name.startsWith("ready-"));

async function fill(engine: EngineConfig): Promise<void> {
  const makeBlank = blankMaker(engine);
  while (await makeBlank(() => true));
}

async function launchOnce(engine: EngineConfig, name: string): Promise<string> {
  const userDataDir = join(dir, name);
  const browser = await openBrowser({
    spec: {
      profileId,
      name,
      proxy: null,
      userDataDir,
      uploadsDir: join(dir, "uploads"),
      ...linuxDevice,
    },
    options: { diagnostic: false, headless: true, idleTimeoutSecs: 0 },
    engine,
    onSpawned: () => {},
    signal: new AbortController().signal,
  });
  await browser.close();
  return userDataDir;
}

async function madeFrom(name: string): Promise<BlankFile[]> {
  const engine = engineWith(1, name);
  await engineFacts(engine);
  await fill(engine);
  const [ready = ""] = await readyIn(engine);
  return patternIn(join(dir, name, "blank", ready));
}

test("two browsers write the same bytes, so a blank directory does not show who made it or when", async () => {
  const [first, second] = [await madeFrom("one"), await madeFrom("two")];
  const shared = new Map(second.map(({ path, bytes }) => [path, Buffer.from(bytes)]));
  const different = first.filter(({ path, bytes }) => shared.get(path)?.equals(bytes) === false);
  assert.deepEqual(
    different.map(({ path }) => path),
    [],
  );
  const paths = first.map(({ path }) => path);
  for (const wanted of ["Cookies", "History", "Local Storage/leveldb/CURRENT"])
    assert.ok(paths.includes(`Default/${wanted}`), wanted);
  assert.ok(
    !paths.some((path) =>
      /Preferences|Local State|Sessions|Web Data$/.test(path.replace("Account Web Data", "")),
    ),
  );
});

test("without a ready directory, a first launch writes its own with the same bytes, and no other files", async () => {
  const engine = engineWith(0);
  const { version } = await engineFacts(engine);
  const userDataDir = join(dir, "profile");
  await mkdir(userDataDir);
  assert.equal(await takeBlank(engine, "1.2.3.4", userDataDir), false, "the template is of another version");
  assert.deepEqual(await readdir(userDataDir), []);
  assert.equal(await takeBlank(engine, version, userDataDir), true);
  const one = engineWith(1);
  await fill(one);
  const [ready = ""] = await readyIn(one);
  assert.deepEqual(await patternIn(userDataDir), await patternIn(join(dir, "one/blank", ready)));
  assert.deepEqual(await readdir(engine.tempDir), []);
});

test("a first launch takes a ready directory, which the profile then owns; without one it creates its own", async () => {
  const engine = engineWith(2);
  await engineFacts(engine);
  await fill(engine);
  const before = await readyIn(engine);
  assert.equal(before.length, 2);
  const inode = async (path: string) => (await stat(path)).ino;
  const made = await Promise.all(before.map((name) => inode(join(dir, "one/blank", name))));
  const [a, b, c] = [
    await launchOnce(engine, "a"),
    await launchOnce(engine, "b"),
    await launchOnce(engine, "c"),
  ];
  assert.deepEqual((await Promise.all([a, b].map(inode))).sort(), made.sort());
  assert.deepEqual(await readyIn(engine), []);
  const states = await Promise.all([a, b, c].map((path) => readFile(join(path, "Local State"), "utf8")));
  assert.equal(new Set(states).size, 3);
  await fill(engine);
  await launchOnce(engine, "a");
  assert.equal((await readyIn(engine)).length, 2, "a second launch takes no ready directory");
});

test("an unfinished directory is abandoned when a launch starts, and no launch takes it", async () => {
  const engine = engineWith(1);
  await engineFacts(engine);
  let looks = 0;
  assert.equal(await blankMaker(engine)(() => ++looks < 10), false);
  assert.equal(looks, 10);
  assert.deepEqual(await readyIn(engine), []);
  await mkdir(join(dir, "one/blank/ready-1.2.3.4-0-old"));
  await fill(engine);
  const ready = await readdir(join(dir, "one/blank"));
  assert.equal(ready.length, 1);
  assert.doesNotMatch(ready[0] ?? "", /1\.2\.3\.4/);
});
