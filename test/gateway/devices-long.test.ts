/** Profiles created over HTTP each get their own device, and the library keeps it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { incoherences } from "../../actors/fingerprint/coherence.ts";
import { deviceKey } from "../../actors/fingerprint/device-key.ts";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createLibrary } from "../../actors/library/library.ts";
import { hostDevice, hostOs } from "../../gateway/machine.ts";
import type { CreateProfilesReply } from "../../protocol/requests.ts";
import { startTestService, type TestService } from "./running.ts";

const dataDir = mkdtempSync(join(tmpdir(), "troupe-devices-"));
let app: TestService;
before(async () => {
  app = await startTestService({ dataDir });
});
after(() => rmSync(dataDir, { recursive: true, force: true }));

async function create(body: { count: number; os?: string }): Promise<CreateProfilesReply> {
  const { status, body: reply } = await app.client.post("/v1/profiles", body);
  assert.equal(status, 200, JSON.stringify(reply));
  return reply as CreateProfilesReply;
}

test("profiles get coherent and different devices of the given system, by default the host's", async (t) => {
  const wishes = [{ os: "windows" }, { os: "macos" }, { os: "linux" }, {}];
  const ids: string[] = [];
  for (const wish of wishes) {
    const from = performance.now();
    const { created, failed } = await create({ count: 50, ...wish });
    t.diagnostic(`50 ${wish.os ?? "default"} profiles: ${(performance.now() - from).toFixed(0)} ms`);
    assert.deepEqual([created.length, failed], [50, []]);
    ids.push(...created.map((profile) => profile.profile_id));
  }
  await app.stop();
  const library = await createLibrary({ dataDir, clock: new ManualClock() });
  t.after(() => library.close({}));
  const specs = await Promise.all(
    ids.map(async (profileId) => (await library.profileSpec({ profileId })).spec),
  );
  assert.deepEqual(
    specs.map(({ os }) => os),
    ["windows", "macos", "linux", hostOs()].flatMap((os) => Array.from({ length: 50 }, () => os)),
  );
  const keys = specs.map(({ os, fingerprint }) => {
    assert.ok(fingerprint);
    assert.deepEqual(incoherences(fingerprint, os, hostDevice()), []);
    return `${os} ${deviceKey(fingerprint)}`;
  });
  assert.equal(new Set(keys).size, ids.length);
});
