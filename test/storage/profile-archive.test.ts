/** What a profile archive describes is checked before anything is unpacked. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ArchivedProfile } from "../../protocol/profile-copies.ts";
import { readProfileArchive, writeProfileArchive } from "../../storage/profile-archive.ts";
import { makeDir, removeDir } from "../browser/fixture/profile.ts";

const profile: ArchivedProfile = {
  name: "Shop",
  os: "linux",
  folder: null,
  groups: [],
  tags: [],
  timezone: "UTC",
  languages: [],
  fingerprint: null,
  variables: [],
  proxy: null,
};

test("an archive that is whole and describes no profile is refused, with nothing unpacked", async (t) => {
  const dir = await makeDir();
  t.after(() => removeDir(dir));
  const wrongs: object[] = [
    { os: "amiga" },
    { fingerprint: { screen: "wide" } },
    { tags: [1] },
    { tags: [""] },
    { folder: "x".repeat(101) },
    { name: "" },
  ];
  for (const [index, wrong] of [{}, ...wrongs].entries()) {
    const file = join(dir, `${index}.troupe`);
    const about = {
      userDataDir: join(dir, "none"),
      cookiesOnly: false,
      createdAt: "2026-11-27T00:00:00.000Z",
    };
    await writeProfileArchive({ ...about, file, profile: { ...profile, ...wrong } as ArchivedProfile });
    const read = readProfileArchive(file, join(dir, "unpacked"));
    if (index === 0) assert.deepEqual((await read).profile, profile);
    else await assert.rejects(read, { kind: "invalid", message: /does not describe a profile/ });
  }
  assert.ok(!readdirSync(dir).includes("unpacked"));
});
