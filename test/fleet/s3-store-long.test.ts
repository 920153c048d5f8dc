/** Archives in S3, against Swift's S3 API: what is stored comes back, and each failure is said in words. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Archives, openArchives } from "../../actors/fleet/archives.ts";
import { s3Limits } from "../../actors/fleet/s3-request.ts";
import { openS3 } from "../../actors/fleet/s3-store.ts";
import { type FailingProxy, startFailingProxy } from "./failing-proxy.ts";
import { freePort } from "./postgres.ts";
import { needsSwift, noSwift, startBucket, startSwift, swiftKeys, type TestSwift } from "./swift.ts";

const limits = { ...s3Limits, pauseMs: 1 };
const impatient = { ...limits, silentMs: 200, requestMs: 200, bytesPerMs: 1e6 };
const large = 3_000_000;
let swift: TestSwift;
let proxy: FailingProxy;
let room: string;
let archives: Archives;

const uriOf = (url: string, path = "bucket/below/here", more = "") =>
  `s3://${path}?endpoint=${encodeURIComponent(url)}&region=us-east-1${more}`;
const opened = (uri: string, keys = swiftKeys, within = limits) =>
  openArchives({ archives: uri }, openS3(uri, keys, within));
const fileOf = (name: string, content?: Buffer | string) => {
  const file = join(room, name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
};

before(async () => {
  if (noSwift !== false) return;
  swift = await startSwift();
  proxy = await startFailingProxy(swift.port);
  room = mkdtempSync(join(tmpdir(), "troupe-s3-"));
  archives = opened(uriOf(proxy.url));
  await startBucket(swift, "bucket");
});
after(async () => {
  if (noSwift !== false) return;
  await proxy.close();
  await swift.close();
  rmSync(room, { recursive: true, force: true });
});

test("an archive in S3 comes back as it was stored, a removed one is not found", needsSwift, async () => {
  for (const content of [Buffer.alloc(0), Buffer.from("a profile"), randomBytes(large)]) {
    const stored = await archives.put("profiles/p p/ä+1", fileOf("sent", content));
    const read = fileOf("read");
    await archives.get(stored, read);
    assert.ok(readFileSync(read).equals(content));
    await archives.remove(stored.key);
    await archives.remove(stored.key);
    rmSync(read);
    await assert.rejects(archives.get(stored, read), {
      kind: "not-found",
      message: /is not in the archive store the bucket bucket/,
    });
    assert.ok(!existsSync(read));
  }
});

test("a busy server, and bodies that are cut short, cost another try", needsSwift, async () => {
  const content = randomBytes(large);
  proxy.fail("busy", 2);
  const stored = await archives.put("profiles/p/2", fileOf("sent", content));
  assert.equal(proxy.requests(), 3);
  for (const failure of ["busy", "cut"] as const) {
    proxy.fail(failure, limits.tries - 1);
    await archives.get(stored, fileOf("read"));
    assert.equal(proxy.requests(), limits.tries);
    assert.ok(readFileSync(fileOf("read")).equals(content));
  }
});

test("tries have an end, and the store is then away, in words", needsSwift, async () => {
  const stored = await archives.put("profiles/p/3", fileOf("sent", randomBytes(large)));
  const read = fileOf("never");
  const hurried = opened(uriOf(proxy.url), swiftKeys, impatient);
  const failures = [
    ["busy", archives, /answers with status 503/, limits.tries],
    ["cut", archives, /has cut the connection/, limits.tries],
    ["hang", hurried, /does not answer|is too slow/, 1],
    ["stall", hurried, /does not answer|is too slow/, 1],
  ] as const;
  for (const [failure, store, message, tries] of failures) {
    proxy.fail(failure, 100);
    await assert.rejects(store.get(stored, read), { kind: "internal", message }, failure);
    assert.equal(proxy.requests(), tries, failure);
    assert.ok(!existsSync(read), "no file is left");
  }
  proxy.fail("hang", 100);
  await assert.rejects(hurried.put("profiles/p/3", fileOf("sent")), {
    kind: "internal",
    message: /too slow|not answer/,
  });
  proxy.fail("none", 0);
  const away = opened(uriOf(`http://127.0.0.1:${await freePort()}`));
  await assert.rejects(away.get(stored, read), { kind: "internal", message: /is away: nothing listens/ });
});

test("a damaged archive is refused, also one that the server itself has changed", needsSwift, async () => {
  const stored = await archives.put("profiles/p/4", fileOf("sent", randomBytes(1_000)));
  proxy.fail("damage");
  await archives.get(stored, fileOf("read")); // Damaged on the way, it is read again.
  rmSync(fileOf("read"));
  proxy.fail("damage", 3);
  await assert.rejects(archives.get(stored, fileOf("read")), { kind: "invalid", message: /is damaged/ });
  assert.ok(!existsSync(fileOf("read")), "no file is left");
  const shorter = { ...stored, bytes: 999 };
  await assert.rejects(archives.get(shorter, fileOf("read")), { kind: "invalid", message: /is damaged/ });
  // The server compares the sum, so what changes on the way there is never stored.
  const store = openS3(uriOf(swift.url), swiftKeys, limits);
  const other = { ...stored, key: "profiles/p/5", sha256: "0".repeat(64) };
  await assert.rejects(store.put(other, fileOf("sent")), { kind: "internal" });
  await assert.rejects(store.get(other, fileOf("read")), { kind: "not-found" });
});

test("a missing bucket and wrong keys are said in words, and keys are never shown", needsSwift, async () => {
  const sent = fileOf("sent", "x");
  const nowhere = opened(uriOf(swift.url, "nowhere/x"));
  await assert.rejects(nowhere.put("k", sent), {
    kind: "internal",
    message: /bucket nowhere at .* does not exist; create it/,
  });
  const cases = [
    [{ id: "test:nobody", secret: "testing" }, /does not know this access key|refuses these keys/],
    [{ id: swiftKeys.id, secret: "hush-hush" }, /refuses these keys/],
  ] as const;
  for (const [keys, message] of cases) {
    const refused = await opened(uriOf(swift.url), keys)
      .put("k", sent)
      .catch((error: Error) => error);
    assert.ok(refused instanceof Error);
    assert.match(refused.message, message);
    assert.doesNotMatch(refused.message, /hush|testing/);
  }
});
