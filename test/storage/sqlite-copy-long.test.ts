/** A copy taken in slices equals the database at the end of the copy, whatever changes happen between slices. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startCopying } from "../../storage/snapshot-copy.ts";
import { openSqlite, type Sqlite } from "../../storage/sqlite.ts";
import { addNote, openNotes, readNotes, temporaryDir } from "./open.ts";

const page = "x".repeat(3_000);

async function openFilled(rows: number): Promise<Sqlite> {
  const sqlite = await openSqlite(null);
  sqlite.script("CREATE TABLE filled (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
  fill(sqlite, rows);
  return sqlite;
}

function fill(sqlite: Sqlite, rows: number): void {
  sqlite.transaction([], (sql) => {
    for (let row = 0; row < rows; row++) sql.run("INSERT INTO filled (body) VALUES (?)", [page]);
  });
}

async function bodies(bytes: Uint8Array): Promise<unknown[]> {
  const copy = await openSqlite(bytes);
  assert.equal(copy.first("PRAGMA integrity_check")?.integrity_check, "ok");
  const rows = copy.all("SELECT id, body FROM filled ORDER BY id");
  copy.close();
  return rows;
}

describe("a copy of a database", () => {
  test("contains changes made before it and on both sides of its position, and no rolled back ones", async () => {
    const sqlite = await openFilled(300);
    const copy = sqlite.copy(7);
    for (let steps = 0; !copy.ready; steps++) {
      assert.ok(steps < 1_000, "the copy must end");
      copy.step();
      sqlite.transaction([], (sql) => {
        sql.run("UPDATE filled SET body = ? WHERE id IN (2, 290)", [`${page}${steps}`]);
        if (steps < 20) sql.run("INSERT INTO filled (body) VALUES (?)", [page]);
      });
      const undone = () =>
        sqlite.transaction([], (sql) => {
          sql.run("DELETE FROM filled WHERE id < 200");
          throw new Error("undone");
        });
      if (steps === 9) assert.throws(undone, /undone/);
    }
    const bytes = copy.finish();
    assert.deepEqual(await bodies(bytes), sqlite.all("SELECT id, body FROM filled ORDER BY id"));
    sqlite.close();
  });

  test("that exceeds its buffer is complete", async () => {
    const sqlite = await openFilled(20);
    const copy = sqlite.copy(1);
    copy.step();
    fill(sqlite, 5_000);
    assert.deepEqual(await bodies(copy.finish()), sqlite.all("SELECT id, body FROM filled ORDER BY id"));
    sqlite.close();
  });

  test("that is abandoned does not change the database", async () => {
    const sqlite = await openFilled(20);
    const copy = sqlite.copy(1);
    copy.step();
    copy.abandon();
    copy.abandon();
    fill(sqlite, 5);
    assert.equal(sqlite.first("SELECT count(*) AS rows FROM filled")?.rows, 25);
    sqlite.close();
  });
});

describe("a copy that steps by itself", () => {
  test("stays ready when much is added before it is finished, because no caller would step again", async () => {
    const sqlite = await openFilled(300);
    let woken = 0;
    const copying = startCopying(sqlite, 7, () => {
      woken += 1;
    });
    await copying.ready;
    fill(sqlite, 300);
    assert.deepEqual([copying.isReady(), woken], [true, 1]);
    const bytes = copying.finish({ generation: 1, sequence: 1 });
    assert.deepEqual(await bodies(bytes), sqlite.all("SELECT id, body FROM filled ORDER BY id"));
    sqlite.close();
  });
});

describe("a snapshot that is copied in slices", () => {
  test("lets transactions run meanwhile, and contains them or leaves them to the journal", async (t) => {
    const dir = temporaryDir(t);
    const database = await openNotes(dir, { slicePages: 1 });
    await database.write((sql) => {
      for (let note = 0; note < 600; note++) sql.run("INSERT INTO notes (body) VALUES (?)", [page]);
    });
    let taken = false;
    const snapshot = database.snapshot().then(() => {
      taken = true;
    });
    let passed = 0;
    for (; !taken; passed++) await addNote(database, `note ${passed}`);
    await snapshot;
    assert.ok(passed > 1, `${passed} passed`);
    await addNote(database, "after");
    // Not closed: the next start reads what a killed process leaves.
    const again = await openNotes(dir);
    const found = await readNotes(again);
    assert.equal(found.length, 600 + passed + 1);
    assert.equal(found.at(-1), "after");
    await again.close();
  });

  test("stops the start when a byte of it is changed", async (t) => {
    const dir = temporaryDir(t);
    const database = await openNotes(dir);
    await addNote(database, "kept");
    await database.snapshot();
    const file = join(dir, "library.sqlite");
    const bytes = readFileSync(file);
    const at = bytes.indexOf("kept");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    await assert.rejects(openNotes(dir), { kind: "internal", message: /its checksum does not match/ });
    await database.close();
  });
});
