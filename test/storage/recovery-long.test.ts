/** Starting on files that a crash or a failing disk has damaged. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { Fault } from "../../protocol/faults.ts";
import { scanJournal } from "../../storage/journal-records.ts";
import { addNote, openNotes, readNotes, temporaryDir } from "./open.ts";

const bodies = ["first", "second", "third", "fourth", "fifth"];
const journalFile = "library.journal-1";

async function crashedDir(t: TestContext): Promise<{ dir: string; copy(): string; journal: Buffer }> {
  const root = temporaryDir(t);
  const original = join(root, "original");
  mkdirSync(original);
  const database = await openNotes(original);
  for (const body of bodies) await addNote(database, body);
  const crashed = join(root, "crashed");
  cpSync(original, crashed, { recursive: true });
  await database.close();
  let copies = 0;
  const copy = () => {
    const dir = join(root, `copy-${copies++}`);
    cpSync(crashed, dir, { recursive: true });
    return dir;
  };
  return { dir: crashed, copy, journal: readFileSync(join(crashed, journalFile)) };
}

function filesOf(dir: string): Map<string, string> {
  return new Map(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name)).toString("base64")]));
}

async function assertDamage(
  dir: string,
  file: string,
  offset: number | undefined,
  what: string,
): Promise<void> {
  const before = filesOf(dir);
  await assert.rejects(openNotes(dir), (error) => {
    assert.ok(error instanceof Fault, `${what}: ${error}`);
    assert.equal(error.kind, "internal");
    assert.equal(error.detail?.code, "storage-damaged", what);
    assert.equal(error.detail.file, join(dir, file), what);
    if (offset !== undefined) assert.equal(error.detail.offset, offset, what);
    assert.ok(
      error.message.includes(file) && error.message.includes(String(error.detail.offset)),
      error.message,
    );
    return true;
  });
  assert.deepEqual(filesOf(dir), before, what);
}

describe("a journal", () => {
  test("truncated at any byte of its last record opens with all earlier records and accepts new ones", async (t) => {
    const { copy, journal } = await crashedDir(t);
    const scan = scanJournal(journalFile, journal);
    const last = scan.records.at(-1)?.offset ?? 0;
    assert.equal(scan.records.length, bodies.length);
    for (let length = last; length < scan.endOffset; length++) {
      const dir = copy();
      truncateSync(join(dir, journalFile), length);
      const database = await openNotes(dir);
      assert.deepEqual(await readNotes(database), bodies.slice(0, -1), `cut at ${length}`);
      await addNote(database, "after");
      await database.close();
      const again = await openNotes(dir);
      assert.deepEqual(
        await readNotes(again),
        [...bodies.slice(0, -1), "after"],
        `cut at ${length}, next start`,
      );
      await again.close();
      rmSync(dir, { recursive: true });
    }
  });

  test("whose last record is torn in place, with zeros after it, opens with all earlier records", async (t) => {
    const { copy, journal } = await crashedDir(t);
    const scan = scanJournal(journalFile, journal);
    const last = scan.records.at(-1)?.offset ?? 0;
    for (let length = last; length < scan.endOffset; length += 7) {
      const dir = copy();
      writeFileSync(join(dir, journalFile), Buffer.from(journal).fill(0, length, scan.endOffset));
      const database = await openNotes(dir);
      assert.deepEqual(await readNotes(database), bodies.slice(0, -1));
      await database.close();
    }
  });

  test("with a flipped byte anywhere in a middle record stops the start, with the file and the offset", async (t) => {
    const { dir, journal } = await crashedDir(t);
    const [, , third, fourth] = scanJournal(journalFile, journal).records;
    assert.ok(third !== undefined && fourth !== undefined);
    for (let at = third.offset; at < fourth.offset; at++) {
      const damaged = Buffer.from(journal);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      writeFileSync(join(dir, journalFile), damaged);
      await assertDamage(dir, journalFile, third.offset, `byte ${at}`);
    }
  });

  test("with a flipped byte anywhere in its header stops the start", async (t) => {
    const { dir, journal } = await crashedDir(t);
    for (let at = 0; at < 64; at++) {
      const damaged = Buffer.from(journal);
      damaged[at] = (damaged[at] ?? 0) ^ 0x01;
      writeFileSync(join(dir, journalFile), damaged);
      await assertDamage(dir, journalFile, 0, `byte ${at}`);
    }
  });

  test("that is missing stops the start", async (t) => {
    const { dir } = await crashedDir(t);
    rmSync(join(dir, journalFile));
    await assertDamage(dir, journalFile, 0, "missing");
  });

  test("that lost its last record before a later journal stops the start", async (t) => {
    const root = temporaryDir(t);
    const warnings: string[] = [];
    // A snapshot that cannot be written leaves two journals.
    const database = await openNotes(root, { warn: (message) => warnings.push(message) });
    for (const body of bodies) await addNote(database, body);
    mkdirSync(join(root, "library.sqlite.new"));
    await database.snapshot();
    assert.equal(warnings.length, 1);
    await addNote(database, "sixth");
    rmSync(join(root, "library.sqlite.new"), { recursive: true });
    const [whole, damaged] = [temporaryDir(t), temporaryDir(t)];
    for (const dir of [whole, damaged]) cpSync(root, dir, { recursive: true });
    await database.close();

    const opened = await openNotes(whole);
    assert.deepEqual(await readNotes(opened), [...bodies, "sixth"]);
    await opened.close();

    const journal = readFileSync(join(damaged, journalFile));
    const { records, endOffset } = scanJournal(journalFile, journal);
    writeFileSync(join(damaged, journalFile), journal.fill(1, endOffset - 1, endOffset));
    await assertDamage(damaged, journalFile, records.at(-1)?.offset, "last record of an earlier journal");
  });
});

describe("a snapshot", () => {
  test("with a flipped byte anywhere stops the start", async (t) => {
    const { dir } = await crashedDir(t);
    const snapshot = readFileSync(join(dir, "library.sqlite"));
    for (let at = 0; at < snapshot.length; at += 97) {
      const damaged = Buffer.from(snapshot);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(join(dir, "library.sqlite"), damaged);
      await assert.rejects(openNotes(dir), { kind: "internal" }, `byte ${at}`);
    }
  });

  test("that is missing stops the start", async (t) => {
    const { dir } = await crashedDir(t);
    rmSync(join(dir, "library.sqlite"));
    await assertDamage(dir, "library.sqlite", 0, "missing");
  });
});
