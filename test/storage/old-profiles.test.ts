/** Data of the first release under the current schema. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { migrations } from "../../storage/schema.ts";
import { readProfiles } from "../../storage/tables/profiles.ts";
import { openNotes, temporaryDir } from "./open.ts";

test("a profile of the first release has no device and no languages, and still shows the host's", async (t) => {
  const dir = temporaryDir(t);
  const first = await openNotes(dir, { migrations: migrations.slice(0, 1) });
  const columns = "id, name, slug, os, folder, groups, tags, timezone, created_at, last_used";
  await first.write((sql) =>
    sql.run(`INSERT INTO profiles (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
      "6f1c1f9e-0000-4000-8000-000000000001",
      "A",
      "a",
      "linux",
      null,
      "[]",
      '["old"]',
      "UTC",
      "2026-01-01T00:00:00.000Z",
      null,
    ]),
  );
  await first.close();
  const now = await openNotes(dir, { migrations });
  const [profile] = await now.read(readProfiles);
  await now.close();
  assert.deepEqual([profile?.fingerprint, profile?.languages, profile?.tags], [null, [], ["old"]]);
});
