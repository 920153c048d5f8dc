/** A data directory that is deleted or moved while it is in use: nothing is acknowledged that would not be found again. */
import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { nodeDisk } from "../../storage/disk.ts";
import { openLastingDatabase } from "../../storage/lasting-database.ts";
import { addNote, notes, openNotes, readNotes, temporaryDir } from "./open.ts";

async function openIn(t: TestContext) {
  const dir = join(temporaryDir(t), "data");
  mkdirSync(dir);
  let ms = 0;
  const database = await openLastingDatabase({
    disk: nodeDisk,
    dir,
    migrations: [notes],
    journalBytesMin: 1024 * 1024,
    now: () => ms,
    renewed: () => {},
    warn: () => {},
  });
  t.after(() => database.close());
  await addNote(database, "kept");
  const later = () => {
    ms += 1_000;
  };
  return { dir, database, later };
}
const lost = {
  kind: "internal",
  message: /data.* cannot be used: it does not exist \(ENOENT\); restore it/,
};

test("in a deleted directory writes and reads are refused, with its path", async (t) => {
  const { dir, database, later } = await openIn(t);
  assert.equal(await database.readThere(() => "there"), "there");
  rmSync(dir, { recursive: true });
  await assert.rejects(
    database.readThere(() => "lost"),
    lost,
  );
  await assert.rejects(addNote(database, "lost"), lost);
  await assert.rejects(readNotes(database), lost);
  later();
  await assert.rejects(addNote(database, "lost too"), lost);
});

test("in a moved directory they are refused, also when another takes its place, until it is back", async (t) => {
  const { dir, database, later } = await openIn(t);
  renameSync(dir, `${dir}-moved`);
  await assert.rejects(addNote(database, "lost"), lost);
  mkdirSync(dir);
  later();
  await assert.rejects(addNote(database, "lost too"), { kind: "internal" });
  rmSync(dir, { recursive: true });
  renameSync(`${dir}-moved`, dir);
  later();
  await addNote(database, "after");
  assert.equal((await readNotes(database)).at(-1), "after");
  await database.close();
  const again = await openNotes(dir);
  assert.deepEqual(
    (await readNotes(again)).filter((body) => body !== "lost"),
    ["kept", "after"],
  );
  await again.close();
});
