/** What travels in a fleet: archives in a directory, sealed parts, and the line to the guard. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openArchives } from "../../../actors/fleet/archives.ts";
import { markDirectory } from "../../../actors/fleet/directory-store.ts";
import { createLines, type GuardMessage, momentNow, msSince } from "../../../actors/fleet/guard-line.ts";
import { placeOf } from "../../../actors/fleet/postgres.ts";
import { claimsNow, createWatch, mustEnd, skewOf } from "../../../actors/fleet/rules.ts";
import { createSeal, keyCheckOf, newKey, refuseOtherKey } from "../../../actors/fleet/sealed.ts";
import { joinToken, placeInToken } from "../../../gateway/fleet/member-file.ts";
import { fleetLimits, fleetPackage, storePackage } from "../../../protocol/fleet.ts";

test("an archive comes back as it was stored, and a damaged, missing or unmounted one is refused in words", async (t) => {
  const room = mkdtempSync(join(tmpdir(), "troupe-store-"));
  t.after(() => rmSync(room, { recursive: true, force: true }));
  const root = join(room, "store");
  const archives = openArchives({ archives: `dir:${root}` });
  const [sent, read] = [join(room, "sent"), join(room, "read")];
  writeFileSync(sent, "a profile");
  await assert.rejects(archives.put("profiles/p/1", sent), {
    kind: "internal",
    message: /is away: mount it/,
  });
  await markDirectory(root);
  const stored = await archives.put("profiles/p/1", sent);
  await archives.get(stored, read);
  assert.equal(readFileSync(read, "utf8"), "a profile");
  rmSync(read);
  writeFileSync(join(root, stored.key), "a profilf");
  await assert.rejects(archives.get(stored, read), { kind: "invalid", message: /damaged/ });
  assert.ok(!existsSync(read), "no file is left");
  await archives.remove(stored.key);
  await archives.remove(stored.key);
  await assert.rejects(archives.get(stored, read), { kind: "not-found" });
  assert.throws(() => openArchives({ archives: "dir:here" }), { kind: "invalid", message: /absolute/ });
  assert.throws(() => openArchives({ archives: "ftp://x" }), { kind: "invalid" });
});

test("a directory becomes a store, or is refused and stays as it was", async (t) => {
  const room = mkdtempSync(join(tmpdir(), "troupe-store-"));
  t.after(() => rmSync(room, { recursive: true, force: true }));
  const root = join(room, "store");
  const marked = await markDirectory(root);
  assert.deepEqual([marked.isNew, (await markDirectory(root)).isNew], [true, false]);
  await marked.unmark();
  assert.ok(!existsSync(root));
  await assert.rejects(markDirectory(join(root, "below")), {
    kind: "invalid",
    message: /needs .*store to be there/,
  });
  await assert.rejects(markDirectory("here"), { kind: "invalid", message: /an absolute path, got "here"/ });
});

test("a password that is not percent-encoded is refused, and no part of it is shown", () => {
  for (const password of ["pa@ss/word", "12#3", "12?3"])
    assert.throws(
      () => placeOf(`postgres://troupe:${password}@db/troupe`),
      {
        kind: "invalid",
        message: /^--postgres must have user and password percent-encoded: [%2346F0for/?#@, ]+$/,
      },
      password,
    );
  assert.equal(placeOf("postgres://troupe:pa%2Fss@db/troupe?host=x"), "PostgreSQL at db/troupe");
});

test("a sealed part opens in its place and with its key only", () => {
  const seal = createSeal(newKey());
  const sealed = seal.seal({ secret: "hush" }, "here");
  assert.ok(!Buffer.from(sealed).includes("hush"));
  assert.deepEqual(seal.open(sealed, "here"), { secret: "hush" });
  assert.throws(() => seal.open(sealed, "there"), { kind: "invalid" });
  assert.throws(() => createSeal(newKey()).open(sealed, "here"), { kind: "invalid" });
  refuseOtherKey(seal, keyCheckOf(seal));
  assert.throws(() => refuseOtherKey(createSeal(newKey()), keyCheckOf(seal)), {
    message: /troupe fleet token/,
  });
});

test("a join token is taken whole or refused", () => {
  const place = { postgres: "postgres://db/troupe", archives: "dir:/srv", key: newKey() };
  assert.deepEqual(placeInToken(joinToken(place)), place);
  const inS3 = { ...place, archives: "s3://bucket", storeKeys: { id: "id", secret: "hush" } };
  assert.deepEqual(placeInToken(joinToken(inS3)), inS3);
  for (const wrong of ["", "x", joinToken(place).slice(0, 40)])
    assert.throws(() => placeInToken(wrong), { kind: "invalid", message: /troupe fleet token/ });
});

test("a guard ends what is held only, and a watcher waits for a silence that it saw itself", () => {
  assert.deepEqual([mustEnd(fleetLimits.guardMs, 1), mustEnd(fleetLimits.guardMs - 1, 1)], [true, false]);
  assert.equal(mustEnd(fleetLimits.guardMs * 10, 0), false);
  const watch = createWatch();
  const at = (beat: number, now: number) => watch.look([{ session: "s", beat }], now);
  assert.deepEqual(at(7, 1_000_000), []);
  assert.deepEqual(at(8, 1_000_000 + fleetLimits.lostMs), []);
  assert.deepEqual(at(8, 1_000_000 + fleetLimits.lostMs * 2), [{ session: "s", beat: 8 }]);
});

test("a worker claims what it has room for, and nothing while its own browsers wait", () => {
  const load = { max: 10, active: 4, queued: 0, opening: 3 };
  assert.equal(claimsNow(load), 3);
  assert.equal(claimsNow({ ...load, queued: 1 }), 0);
  assert.equal(claimsNow({ ...load, active: 12 }), 0);
  assert.equal(claimsNow({ ...load, max: 1_000 }), fleetLimits.claimsAtOnce);
});

test("a clock that is off is refused with by how much", () => {
  assert.equal(skewOf(10_000, 14_000), null);
  assert.match(skewOf(3_600_000, 0) ?? "", /3600 s ahead of/);
  assert.match(skewOf(0, 60_000) ?? "", /60 s behind/);
});

test("a guard's line splits chunks into messages, and time passes on it", () => {
  const taken: GuardMessage[] = [];
  const take = createLines((message) => taken.push(message));
  const message = { confirmed: momentNow(), holding: 2, leaving: false };
  const text = `${JSON.stringify(message)}\n${JSON.stringify(message)}\n`;
  take(text.slice(0, 10));
  take(text.slice(10));
  assert.deepEqual(taken, [message, message]);
  const { upMs, steadyMs } = message.confirmed;
  assert.equal(msSince(message.confirmed, { upMs: upMs + 5, steadyMs: steadyMs + 9 }), 9);
});

test("users install the versions of pg and aws4fetch that the tests use", () => {
  const { devDependencies } = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  assert.equal(fleetPackage, `pg@${devDependencies.pg}`);
  assert.equal(storePackage, `aws4fetch@${devDependencies.aws4fetch}`);
});
