/** The CDP policy of an unapproved script: nothing lasts beyond its run, and links to files are followed. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createCdpPolicy } from "../../actors/profile/cdp-policy.ts";

const policyOf = (approved: boolean, fileDirs: string[] = []) =>
  createCdpPolicy({
    fileDirs,
    downloadDir: "/scratch",
    approved,
    refusedPorts: [],
    isThisMachine: () => false,
  });

function passes({ judge }: ReturnType<typeof policyOf>, method: string, params: object): boolean {
  return "forward" in judge(JSON.stringify({ id: 1, method, params }));
}

for (const approved of [true, false]) {
  const who = approved ? "an approved script may" : "an unapproved script may not";

  test(`${who} answer for a service worker`, () => {
    const policy = policyOf(approved);
    const request = { url: "https://example.com/sw.js", headers: { "Service-Worker": "script" } };
    policy.hear(JSON.stringify({ method: "Fetch.requestPaused", params: { requestId: "1", request } }));
    assert.equal(passes(policy, "Fetch.fulfillRequest", { requestId: "1" }), approved);
  });
}

test("a file is judged by where its links lead", (t) => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "troupe-links-")));
  t.after(() => rmSync(dir, { recursive: true }));
  for (const name of ["uploads", "elsewhere"]) mkdirSync(join(dir, name));
  writeFileSync(join(dir, "elsewhere", "secret"), "");
  symlinkSync(join(dir, "elsewhere", "secret"), join(dir, "uploads", "link"));
  writeFileSync(join(dir, "uploads", "photo"), "");
  symlinkSync("photo", join(dir, "uploads", "other"));
  symlinkSync(join(dir, "uploads"), join(dir, "also"));
  const policy = policyOf(true, [join(dir, "also")]);
  const set = (name: string) => passes(policy, "DOM.setFileInputFiles", { files: [join(dir, name)] });
  assert.deepEqual(["uploads/link", "uploads/photo", "uploads/other", "also/photo"].map(set), [
    false,
    true,
    true,
    true,
  ]);
});
