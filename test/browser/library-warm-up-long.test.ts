/** The code caches of script libraries include more than the import, and do not depend on a browser that starts. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { limits } from "../../protocol/limits.ts";
import { until } from "../gateway/serve.ts";
import { nobodyNames } from "./fixture/processes.ts";
import { chromiumPath, makeDir, removeDir } from "./fixture/profile.ts";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const { heapMb } = limits.scriptMemoryApproved;

const sizeOf = (cacheDir: string) =>
  readdirSync(cacheDir).reduce((sum, name) => sum + statSync(join(cacheDir, name)).size, 0);

async function made(dir: string, chromium: string[]) {
  const cacheDir = join(dir, "cache");
  const args = ["puppeteer", join(dist, "puppeteer.cjs"), cacheDir, ...chromium];
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMb}`, join(dist, "make-cache.js"), ...args],
    { env: { ...process.env, TMPDIR: dir }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.equal(code, 0);
  assert.deepEqual(readdirSync(dir), ["cache"]);
  return { said, bytes: sizeOf(cacheDir) };
}

test("the cache of a library that drove a browser contains its functions, and so does the built cache", async (t) => {
  const dir = await makeDir();
  t.after(async () => {
    await nobodyNames(dir);
    await removeDir(dir);
  });
  const imported = await made(dir, []);
  const warmed = await made(dir, [chromiumPath]);
  assert.equal(warmed.said, "");
  assert.ok(warmed.bytes > 1.3 * imported.bytes, `${warmed.bytes} after ${imported.bytes}`);
  const built = sizeOf(join(dist, "library-cache", `puppeteer-${heapMb}`));
  assert.ok(built > 1.3 * imported.bytes, `${built} after ${imported.bytes}`);
  const without = await made(dir, ["/nowhere/chromium"]);
  assert.match(
    without.said,
    /^the code cache of puppeteer was not warmed, so its scripts start slower: .*nowhere/,
  );
  assert.ok(without.bytes < 1.1 * imported.bytes);
});

test("when the service is killed, the program that makes a cache ends with its browser and its files", async (t) => {
  const dir = await makeDir();
  t.after(() => removeDir(dir));
  const temp = mkdtempSync(join(tmpdir(), "troupe-cache-")); // Not in `dir`: a browser's socket takes short paths only.
  const args = ["puppeteer", join(dist, "puppeteer.cjs"), join(dir, "cache"), chromiumPath];
  const child = spawn(process.execPath, [join(dist, "make-cache.js"), ...args], {
    env: { ...process.env, TMPDIR: temp },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const isProfile = (name: string) => existsSync(join(temp, name, "Default"));
  await until("its browser runs", () => readdirSync(temp).some(isProfile));
  child.disconnect();
  const [code] = await once(child, "exit");
  assert.equal(code, 1);
  assert.ok(!existsSync(temp));
  await nobodyNames(temp);
});
