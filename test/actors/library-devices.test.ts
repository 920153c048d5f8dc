/** Devices and allotments of new profiles in the library: permanent, and complete or refused for each profile. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { deviceKey } from "../../actors/fingerprint/device-key.ts";
import { ManualClock } from "../../actors/kernel/clock.ts";
import type { AllotmentKind } from "../../actors/library/allotment.ts";
import { createProfilesArea } from "../../actors/library/create-profiles.ts";
import type { Library } from "../../actors/library/library.ts";
import { createProfileFiles } from "../../actors/library/profile-files.ts";
import { createProfileList } from "../../actors/library/profile-list.ts";
import { Fault } from "../../protocol/faults.ts";
import { openStorage } from "../../storage/storage.ts";
import { readProfiles } from "../../storage/tables/profiles.ts";
import { plainDevices } from "./devices.ts";
import { createProfiles, openLibrary } from "./library.ts";

describe("a profile's device", () => {
  test("is the same after every restart", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const ids = await createProfiles(library, 3);
    const shown = (opened: Library) =>
      Promise.all(ids.map(async (profileId) => (await opened.profileSpec({ profileId })).spec.fingerprint));
    assert.deepEqual(await shown(library), plainDevices(3));
    for (let restart = 1; restart <= 2; restart++) {
      assert.deepEqual(await shown(await reopen()), plainDevices(3));
    }
  });

  test("is considered by the next call that creates profiles of its system, also after a restart", async (t) => {
    const { library, reopen } = await openLibrary(t);
    await createProfiles(library, 3);
    const keys = plainDevices(3).map(deviceKey);
    assert.deepEqual(await library.takenDevices({ os: "linux" }), { keys });
    const again = await reopen();
    assert.deepEqual(await again.takenDevices({ os: "linux" }), { keys });
    assert.deepEqual(await again.takenDevices({ os: "macos" }), { keys: [] });
  });
});

/** Has one piece per index in `pieces`, given out with a timezone and a slot. */
function scarce(pieces: number[], settled: string[]): AllotmentKind {
  return () => ({
    offer: (_sql, index) => {
      if (!pieces.includes(index)) throw new Fault("conflict", `there is no piece ${index}`);
      return {
        profile: { timezone: "Asia/Tokyo", languages: ["ja"] },
        reply: { proxy_slot: index },
        settle: (_writer, profile) => settled.push(profile.name),
      };
    },
  });
}

async function createWith(t: TestContext, kinds: AllotmentKind[], count: number) {
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-allotments-"));
  const storage = await openStorage({ dataDir, warn: () => {} });
  t.after(async () => {
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const profileFiles = createProfileFiles(storage.dataDir);
  const room = { ...storage, clock: new ManualClock(), profileFiles };
  const { createProfiles: create } = createProfilesArea(room, createProfileList(), kinds);
  const input = { nameTemplate: "P {n}", os: "linux", tags: [], timezone: "UTC", languages: [] } as const;
  return {
    reply: () => create({ ...input, tags: [], languages: [], devices: plainDevices(count) }),
    stored: () => storage.database.read(readProfiles),
  };
}

describe("an allotment of new profiles", () => {
  test("replaces earlier ones, is in the reply, and fails only the profiles that get none", async (t) => {
    const settled: string[] = [];
    const { reply, stored } = await createWith(t, [scarce([0, 2], settled)], 3);
    const { created, failed } = await reply();
    assert.deepEqual(
      created.map(({ name, timezone, proxy_slot }) => [name, timezone, proxy_slot]),
      [
        ["P 1", "Asia/Tokyo", 0],
        ["P 3", "Asia/Tokyo", 2],
      ],
    );
    assert.deepEqual(failed, [{ error: "there is no piece 1", index: 1 }]);
    assert.deepEqual(settled, ["P 1", "P 3"]);
    assert.deepEqual(
      (await stored()).map(({ name, timezone, languages }) => [name, timezone, languages]),
      [
        ["P 1", "Asia/Tokyo", ["ja"]],
        ["P 3", "Asia/Tokyo", ["ja"]],
      ],
    );
  });

  test("is not taken by a profile that fails for lack of another kind", async (t) => {
    const [first, second]: [string[], string[]] = [[], []];
    const { reply } = await createWith(t, [scarce([0, 1, 2], first), scarce([1], second)], 3);
    const { created, failed } = await reply();
    assert.deepEqual([created.length, failed.map(({ index }) => index)], [1, [0, 2]]);
    assert.deepEqual([first, second], [["P 2"], ["P 2"]]);
  });

  test("that no profile can get is a conflict with the reason, and nothing is created", async (t) => {
    const { reply, stored } = await createWith(t, [scarce([], [])], 2);
    await assert.rejects(reply(), {
      kind: "conflict",
      message: /no profile could be created: there is no piece 0/,
    });
    assert.deepEqual(await stored(), []);
  });
});
