/** Unpacked extensions in the library: ids as Chromium makes them, names, and what is refused. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { openLibrary } from "./library.ts";

function placed(t: TestContext, files: Record<string, string>): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "troupe-extension-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

const plain = { manifest_version: 3, name: "Plain", version: "1" };
const key = Buffer.from("a public key").toString("base64");

test("an extension with a key keeps its id in any directory, and stays over a restart", async (t) => {
  const { library, reopen } = await openLibrary(t);
  const text = `\ufeff{ /* why */ "key": "${key}", // "
    "manifest_version": 3, "name": "__MSG_TITLE__", "default_locale": "en_GB", "version": "2.0", "homepage_url": "http://x/*" }`;
  const files = { "manifest.json": text, "_locales/en_GB/messages.json": '{"title":{"message":"Shown"}}' };
  const [one, other] = [placed(t, files), placed(t, files)];
  const added = await library.addExtension({ dir: one });
  assert.deepEqual([added.name, added.version, added.dir], ["Shown", "2.0", one]);
  await assert.rejects(library.addExtension({ dir: other }), /has the same id/);
  await library.removeExtension({ extensionId: added.extension_id });
  assert.equal((await library.addExtension({ dir: other })).extension_id, added.extension_id);
  const later = await (await reopen()).launchExtensions({ ids: [added.extension_id, added.extension_id] });
  assert.deepEqual(later, [{ id: added.extension_id, name: "Shown", dir: other, changesProxy: false }]);
});

test("adding a directory again reads it anew; a link leads to the same extension", async (t) => {
  const { library } = await openLibrary(t);
  const dir = placed(t, { "manifest.json": JSON.stringify(plain) });
  const { extension_id: id } = await library.addExtension({ dir });
  writeFileSync(join(dir, "manifest.json"), JSON.stringify({ ...plain, key, permissions: ["proxy"] }));
  assert.match((await library.listExtensions({}))[0]?.error ?? "", /now has the id .*add it again/);
  await assert.rejects(library.launchExtensions({ ids: [id] }), /add it again/);
  const link = `${dir}-link`;
  symlinkSync(dir, link);
  t.after(() => rmSync(link));
  const again = await library.addExtension({ dir: link });
  assert.deepEqual(await library.listExtensions({}), [again]);
  assert.equal((await library.launchExtensions({ ids: [again.extension_id] }))[0]?.changesProxy, true);
});

test("what Chromium would not load is not added, and the reason is named", async (t) => {
  const { library } = await openLibrary(t);
  const refused = async (text: string, reason: RegExp) => {
    const dir = placed(t, { "manifest.json": text });
    await assert.rejects(library.addExtension({ dir }), (error: Error) => {
      assert.match(error.message, reason);
      assert.ok(error.message.includes(dir));
      return true;
    });
  };
  await refused("{", /manifest\.json that is not valid JSON/);
  await refused("[]", /is no JSON object/);
  await refused(JSON.stringify({ ...plain, manifest_version: 2 }), /manifest_version 2, and must have 3/);
  await refused(JSON.stringify({ ...plain, version: 1 }), /no name or no version/);
  await refused(" ".repeat(1_100_000), /more than 1048576 bytes/);
  await assert.rejects(library.addExtension({ dir: placed(t, {}) }), /manifest\.json that is missing/);
  await assert.rejects(library.addExtension({ dir: "relative" }), /must be an absolute path, got "relative"/);
  await assert.rejects(library.addExtension({ dir: "/nowhere/at all" }), /there is no \/nowhere/);
  assert.deepEqual(await library.listExtensions({}), []);
  await assert.rejects(library.removeExtension({ extensionId: "a".repeat(32) }), /there is no extension/);
});
