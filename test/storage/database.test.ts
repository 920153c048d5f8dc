/** Transactions: when they are answered, what they share, and how a failing disk affects them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { testDisk } from "./disks.ts";
import { addNote, openNotes, readNotes, temporaryDir } from "./open.ts";

function gate(): { closed: Promise<void>; open(): void } {
  let open = () => {};
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { closed, open: () => open() };
}

/** Whether the promise settles without further I/O. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  promise.then(
    () => {
      done = true;
    },
    () => {
      done = true;
    },
  );
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe("a transaction", () => {
  test("is answered only after the sync that covers it", async (t) => {
    const disk = testDisk();
    const database = await openNotes(temporaryDir(t), { disk });
    const { closed, open } = gate();
    disk.hold = closed;
    const write = addNote(database, "a");
    assert.equal(await settled(write), false);
    open();
    assert.equal(await write, 1);
    await database.close();
  });

  test("that only reads waits for the changes it saw to be on disk", async (t) => {
    const disk = testDisk();
    const database = await openNotes(temporaryDir(t), { disk });
    const { closed, open } = gate();
    disk.hold = closed;
    const write = addNote(database, "a");
    const read = readNotes(database);
    assert.equal(await settled(read), false);
    open();
    assert.deepEqual(await read, ["a"]);
    await write;
    disk.hold = new Promise(() => {});
    assert.deepEqual(await readNotes(database), ["a"]);
    disk.hold = null;
    await database.close();
  });

  test("that throws is rolled back, and its error waits for the changes it saw", async (t) => {
    const disk = testDisk();
    const database = await openNotes(temporaryDir(t), { disk });
    const { closed, open } = gate();
    disk.hold = closed;
    const write = addNote(database, "a");
    const refused = database.write((sql) => {
      sql.run("INSERT INTO notes (body) VALUES ('b')");
      throw new Error(`there are ${sql.all("SELECT 1 FROM notes").length}`);
    });
    assert.equal(await settled(refused), false);
    open();
    await assert.rejects(refused, /there are 2/);
    await write;
    assert.deepEqual(await readNotes(database), ["a"]);
    await database.close();
  });

  test("shares its sync with transactions that arrive while the disk is busy", async (t) => {
    const disk = testDisk();
    const database = await openNotes(temporaryDir(t), { disk });
    const before = disk.datasyncs;
    const { closed, open } = gate();
    disk.hold = closed;
    const first = Array.from({ length: 64 }, (_, index) => addNote(database, `first ${index}`));
    while (disk.datasyncs === before) await new Promise((resolve) => setImmediate(resolve));
    const second = Array.from({ length: 64 }, (_, index) => addNote(database, `second ${index}`));
    open();
    await Promise.all([...first, ...second]);
    assert.equal(disk.datasyncs - before, 2);
    assert.equal((await readNotes(database)).length, 128);
    await database.close();
  });

  test("does not change the size of the journal file", async (t) => {
    const dir = temporaryDir(t);
    const database = await openNotes(dir);
    const journal = join(dir, "library.journal-1");
    const size = statSync(journal).size;
    for (let index = 0; index < 20; index++) await addNote(database, "x".repeat(1000));
    assert.equal(statSync(journal).size, size);
    await database.close();
  });

  test("larger than a step of the journal file enlarges the file", async (t) => {
    const dir = temporaryDir(t);
    const body = "y".repeat(3 * 1024 * 1024);
    const database = await openNotes(dir, { journalBytesMin: 2 ** 30 });
    await addNote(database, body);
    await database.close();
    const again = await openNotes(dir);
    assert.deepEqual(await readNotes(again), [body]);
    await again.close();
  });

  test("keeps all kinds of texts and blobs through a replay", async (t) => {
    const dir = temporaryDir(t);
    const values = [
      "",
      "null \0 inside",
      "😀 \u2028",
      '{"blob":"AAAA"}',
      new Uint8Array([0, 255, 1]),
      new Uint8Array(),
      1.5,
      -0,
      2 ** 53,
      null,
    ];
    const migrations = ["CREATE TABLE things (value ANY) STRICT"];
    const database = await openNotes(dir, { migrations });
    for (const value of values)
      await database.write((sql) => sql.run("INSERT INTO things VALUES (?)", [value]));
    const rows = await database.read((sql) => sql.all("SELECT value, typeof(value) AS type FROM things"));
    const copy = temporaryDir(t);
    for (const name of readdirSync(dir)) writeFileSync(join(copy, name), readFileSync(join(dir, name)));
    await database.close();
    const replayed = await openNotes(copy, { migrations });
    assert.deepEqual(
      await replayed.read((sql) => sql.all("SELECT value, typeof(value) AS type FROM things")),
      rows,
    );
    await replayed.close();
  });
});

describe("a disk that is full", () => {
  test("fails all waiting transactions, and the database refuses later ones", async (t) => {
    const dir = temporaryDir(t);
    const disk = testDisk();
    const broken: string[] = [];
    const database = await openNotes(dir, { disk, broken: (fault) => broken.push(fault.message) });
    await addNote(database, "kept");
    disk.refuses = () => true;
    const waiting = ["a", "b", "c"].map((body) => addNote(database, body));
    for (const write of waiting) await assert.rejects(write, { kind: "internal", message: /ENOSPC/ });
    await assert.rejects(readNotes(database), { kind: "internal", message: /ENOSPC/ });
    await assert.rejects(addNote(database, "d"), { kind: "internal" });
    assert.equal(broken.length, 1);
    await database.close();
    const again = await openNotes(dir);
    assert.deepEqual(await readNotes(again), ["kept"]);
    await again.close();
  });

  test("fails the transactions that wait for a failed sync, and later ones", async (t) => {
    const disk = testDisk();
    const database = await openNotes(temporaryDir(t), { disk });
    const { closed, open } = gate();
    const before = disk.datasyncs;
    disk.hold = closed;
    disk.failsSync = () => true;
    const first = addNote(database, "a");
    while (disk.datasyncs === before) await new Promise((resolve) => setImmediate(resolve));
    const second = addNote(database, "b");
    open();
    await assert.rejects(first, { kind: "internal", message: /EIO/ });
    await assert.rejects(second, { kind: "internal", message: /EIO/ });
    await database.close();
  });

  test("during a snapshot loses nothing: the next start reads the last snapshot and all later journals", async (t) => {
    const dir = temporaryDir(t);
    const disk = testDisk();
    const warnings: string[] = [];
    const database = await openNotes(dir, {
      disk,
      journalBytesMin: 2000,
      warn: (message) => warnings.push(message),
    });
    disk.refuses = (name) => name === "library.sqlite.new";
    const bodies = Array.from({ length: 400 }, (_, index) => `note ${index}`);
    for (const body of bodies) await addNote(database, body);
    await database.close();
    assert.ok(
      warnings.length > 1 && warnings.every((warning) => warning.includes("ENOSPC")),
      warnings.join(),
    );
    assert.ok(readdirSync(dir).filter((name) => name.includes("journal")).length > 1);
    disk.refuses = () => false;
    const again = await openNotes(dir, { disk });
    assert.deepEqual(await readNotes(again), bodies);
    await again.close();
    assert.deepEqual(readdirSync(dir).filter((name) => name.includes("journal")).length, 1);
  });

  test("when a new journal is due leaves the old one in use", async (t) => {
    const dir = temporaryDir(t);
    const disk = testDisk();
    const database = await openNotes(dir, { disk, journalBytesMin: 2000 });
    disk.refuses = (name) => name === "library.journal-2.new";
    for (let index = 0; index < 200; index++) await addNote(database, "note");
    assert.deepEqual(
      readdirSync(dir).filter((name) => name.includes("journal")),
      ["library.journal-1"],
    );
    await database.close();
    const again = await openNotes(dir);
    assert.equal((await readNotes(again)).length, 200);
    await again.close();
  });
});
