/** Snapshots, and migrations, which each follow one. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openSqlite } from "../../storage/sqlite.ts";
import { testDisk } from "./disks.ts";
import { addNote, notes, openNotes, readNotes, temporaryDir } from "./open.ts";

describe("a snapshot", () => {
  test("is taken when the journal exceeds its size, and is an ordinary SQLite file", async (t) => {
    const dir = temporaryDir(t);
    const database = await openNotes(dir, { journalBytesMin: 2000 });
    for (let index = 0; index < 200; index++) await addNote(database, `note ${index}`);
    await database.close();
    const names = readdirSync(dir).sort();
    assert.equal(names.length, 2, names.join());
    assert.ok(Number(names[0]?.split("-").at(-1)) > 2, names.join());
    const bytes = readFileSync(join(dir, "library.sqlite"));
    assert.equal(bytes.subarray(0, 15).toString(), "SQLite format 3");
    const sqlite = await openSqlite(bytes);
    assert.equal(sqlite.first("SELECT count(*) AS notes FROM notes")?.notes, 200);
    sqlite.close();
  });

  test("is not taken at a close without changes", async (t) => {
    const dir = temporaryDir(t);
    const disk = testDisk();
    await (await openNotes(dir, { disk })).close();
    const before = readFileSync(join(dir, "library.sqlite"));
    await (await openNotes(dir, { disk })).close();
    assert.deepEqual(readdirSync(dir).sort(), ["library.journal-1", "library.sqlite"]);
    assert.deepEqual(readFileSync(join(dir, "library.sqlite")), before);
  });

  test("of sql.js keeps pragmas and prepared statements", async () => {
    const sqlite = await openSqlite(null);
    sqlite.script(
      "CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT; CREATE TABLE b (a INTEGER REFERENCES a (id)) STRICT",
    );
    const pragmas = () =>
      ["foreign_keys", "journal_mode", "locking_mode", "synchronous", "temp_store"].map(
        (name) => sqlite.first(`PRAGMA ${name}`)?.[name],
      );
    const before = pragmas();
    assert.deepEqual(before, [1, "memory", "exclusive", 0, 2]);
    const insert = () => sqlite.transaction([], (sql) => sql.run("INSERT INTO a VALUES (NULL)"));
    insert();
    sqlite.export();
    insert();
    assert.equal(sqlite.first("SELECT count(*) AS rows FROM a")?.rows, 2);
    assert.deepEqual(pragmas(), before);
    assert.throws(() => sqlite.transaction([], (sql) => sql.run("INSERT INTO b VALUES (99)")), /FOREIGN KEY/);
    sqlite.close();
  });
});

describe("migrations", () => {
  test("run in order, each after a copy of the earlier state", async (t) => {
    const dir = temporaryDir(t);
    const one = await openNotes(dir);
    await addNote(one, "old");
    await one.close();
    const later = [
      notes,
      "ALTER TABLE notes ADD COLUMN length INTEGER NOT NULL DEFAULT 0; UPDATE notes SET length = length(body)",
      "ALTER TABLE notes RENAME COLUMN length TO chars",
    ];
    const three = await openNotes(dir, { migrations: later });
    assert.equal((await three.read((sql) => sql.first("SELECT chars FROM notes")))?.chars, 3);
    await three.close();
    const kept = readdirSync(dir).filter((name) => name.startsWith("before"));
    assert.deepEqual(kept.sort(), ["before-schema-2.sqlite", "before-schema-3.sqlite"]);
    for (const [index, name] of kept.sort().entries()) {
      const sqlite = await openSqlite(readFileSync(join(dir, name)));
      assert.equal(sqlite.first("PRAGMA user_version")?.user_version, index + 1);
      assert.equal(sqlite.first("SELECT body FROM notes")?.body, "old");
      sqlite.close();
    }
  });

  test("that fail change nothing", async (t) => {
    const dir = temporaryDir(t);
    const one = await openNotes(dir);
    await addNote(one, "old");
    await one.close();
    await assert.rejects(openNotes(dir, { migrations: [notes, "ALTER TABLE nothing ADD COLUMN a"] }));
    const again = await openNotes(dir);
    assert.deepEqual(await readNotes(again), ["old"]);
    await again.close();
  });

  test("of a later release stop the start", async (t) => {
    const dir = temporaryDir(t);
    await (await openNotes(dir, { migrations: [notes, "CREATE TABLE more (a) "] })).close();
    await assert.rejects(openNotes(dir), { kind: "internal", message: /schema 2, this build knows 1/ });
  });
});
