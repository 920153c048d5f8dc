/** A power cut at every step of a life with snapshots and a migration loses no answered write. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../storage/database.ts";
import { type Aftermath, PowerDisk } from "./disks.ts";
import { addNote, notes, openNotes, readNotes } from "./open.ts";

const aftermaths: Aftermath[] = (["lost", "kept", "torn"] as const).flatMap((contents) =>
  (["lost", "kept"] as const).map((names) => ({ contents, names })),
);

const dir = "/disk";
const secondSchema = [notes, "ALTER TABLE notes ADD COLUMN seen INTEGER NOT NULL DEFAULT 0"];

/** Writes, takes snapshots and migrates; adds answered notes to `answered`. Stops early at a power cut. */
async function live(disk: PowerDisk, answered: string[]): Promise<void> {
  const attempt = async (database: Database, body: string) => {
    await addNote(database, body);
    answered.push(body);
  };
  // One page per slice, so that changes happen during a snapshot's copy.
  const first = await openNotes(dir, { disk, slicePages: 1 });
  await attempt(first, "a");
  await Promise.all(["b", "c", "d"].map((body) => attempt(first, body)));
  await first.snapshot();
  await attempt(first, "e");
  const snapshot = first.snapshot();
  snapshot.catch(() => {}); // A power cut rejects it before it is awaited.
  await Promise.all([attempt(first, "f"), attempt(first, "g")]);
  for (const body of ["h", "i", "j"]) await attempt(first, body);
  await snapshot;
  await attempt(first, "k");
  await first.close();
  const second = await openNotes(dir, { disk, migrations: secondSchema });
  await attempt(second, "l");
  await second.close();
}

/** Returns when `work` settles, or when only the dead disk could settle it. */
async function untilDark(disk: PowerDisk, work: Promise<void>): Promise<void> {
  let ended = false;
  work.then(
    () => {
      ended = true;
    },
    () => {
      ended = true;
    },
  );
  for (let turns = 0; !ended && turns < 20; turns = disk.dark ? turns + 1 : 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function checkStart(disk: PowerDisk, answered: string[], what: string): Promise<void> {
  const database = await openNotes(dir, { disk, migrations: secondSchema });
  const found = await readNotes(database);
  for (const body of answered)
    assert.ok(found.includes(body), `${what}: ${body} was answered and is missing`);
  assert.equal(new Set(found).size, found.length, `${what}: ${found} contains a duplicate`);
  assert.equal((await database.read((sql) => sql.first("PRAGMA integrity_check")))?.integrity_check, "ok");
  await addNote(database, "later");
  await database.close();
}

test("a power cut at any step loses no answered write, whatever happens to unsynced data", async () => {
  const whole = new PowerDisk();
  await live(whole, []);
  assert.ok(whole.steps > 50, `${whole.steps} steps`);
  for (let cutAt = 0; cutAt <= whole.steps; cutAt++) {
    const disk = new PowerDisk(undefined, cutAt);
    const answered: string[] = [];
    await untilDark(disk, live(disk, answered));
    for (const aftermath of aftermaths) {
      const what = `cut at step ${cutAt}, contents ${aftermath.contents}, names ${aftermath.names}`;
      await checkStart(disk.restart(aftermath), answered, what);
    }
  }
});

test("a second power cut during recovery from the first loses nothing either", async () => {
  const whole = new PowerDisk();
  await live(whole, []);
  for (let cutAt = 3; cutAt <= whole.steps; cutAt += 17) {
    const disk = new PowerDisk(undefined, cutAt);
    const answered: string[] = [];
    await untilDark(disk, live(disk, answered));
    for (const aftermath of aftermaths) {
      for (let again = 1; again < 12; again += 4) {
        const second = disk.restart(aftermath, again);
        await untilDark(
          second,
          openNotes(dir, { disk: second, migrations: secondSchema }).then(() => {}),
        );
        const what = `cut at step ${cutAt} and ${again} steps into the next start`;
        await checkStart(second.restart(aftermath), answered, what);
      }
    }
  }
});

test("what a start after a kill has read is still there after a power cut", async () => {
  const whole = new PowerDisk();
  await live(whole, []);
  for (let cutAt = 0; cutAt <= whole.steps; cutAt++) {
    const killed = new PowerDisk(undefined, cutAt);
    await untilDark(killed, live(killed, []));
    const next = killed.afterKill();
    const database = await openNotes(dir, { disk: next, migrations: secondSchema });
    const seen = await readNotes(database);
    await checkStart(next.restart({ contents: "lost", names: "lost" }), seen, `killed at step ${cutAt}`);
  }
});
