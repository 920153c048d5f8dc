/** On a system that lacks a wall, an unapproved script does not start unless the user allows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings } from "../../actors/library/settings.ts";
import { refuseUnwalled } from "../../gateway/isolation-min.ts";
import type { IsolationLevel } from "../../protocol/scalars.ts";

const missing: Record<IsolationLevel, string | null> = {
  sealed: null,
  namespaces: "the system does not isolate scripts from files; install bubblewrap",
  lock: "the system does not isolate scripts from files, network and other processes; install bubblewrap",
};

function refuse(level: IsolationLevel, isolationMin: IsolationLevel, approved = false): Promise<void> {
  const library = {
    readScript: async () => ({ approved }),
    readSettings: async () => ({ isolationMin }),
  };
  const tasks = { probeIsolation: async () => ({ level, missing: missing[level], summary: "" }) };
  return refuseUnwalled({ library, tasks }, "1");
}

test("every wall is required by default", () => {
  assert.equal(defaultSettings.isolationMin, "sealed");
});

for (const [level, allowed] of [
  ["namespaces", "sealed"],
  ["lock", "sealed"],
  ["lock", "namespaces"],
] as const)
  test(`with ${level} where ${allowed} is the minimum, it is refused with the missing wall and both remedies`, async () => {
    await assert.rejects(refuse(level, allowed), (fault: { kind: string; message: string }) => {
      assert.equal(fault.kind, "conflict");
      assert.ok(fault.message.includes(missing[level] ?? "none"), fault.message);
      assert.match(fault.message, new RegExp(`approve the script, or .*isolationMin=${level}$`));
      return true;
    });
    await refuse(level, level);
    await refuse(level, allowed, true);
  });

test("with all walls it starts", async () => {
  for (const least of ["sealed", "namespaces", "lock"] as const) await refuse("sealed", least);
});
