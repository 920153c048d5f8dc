/** A database's file grows in place, so that no call waits for a copy of all data. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { growingFile, growthBytes } from "../../storage/growing-file.ts";
import { openSqlite, type Sqlite } from "../../storage/sqlite.ts";

const body = "x".repeat(3_000);
const rowsAtOnce = 200;
const bytesFilled = 16 * 1024 * 1024;

function fill(sqlite: Sqlite): void {
  for (let bytes = 0; bytes < bytesFilled; bytes += rowsAtOnce * body.length) {
    sqlite.transaction([], (sql) => {
      for (let row = 0; row < rowsAtOnce; row++) sql.run("INSERT INTO filled (body) VALUES (?)", [body]);
    });
  }
}

function arraysMadeBy(work: () => void): number[] {
  const lengths: number[] = [];
  const real = globalThis.Uint8Array;
  globalThis.Uint8Array = new Proxy(real, {
    construct(target, given, made) {
      if (typeof given[0] === "number") lengths.push(given[0]);
      return Reflect.construct(target, given, made);
    },
  });
  try {
    work();
  } finally {
    globalThis.Uint8Array = real;
  }
  return lengths;
}

describe("a database that grows", () => {
  test("is never completely copied by a transaction", async () => {
    const sqlite = await openSqlite(null);
    sqlite.script("CREATE TABLE filled (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
    const lengths = arraysMadeBy(() => fill(sqlite));
    assert.deepEqual(
      lengths.filter((length) => length > 1024 * 1024),
      [],
    );
    const bytes = sqlite.export();
    assert.ok(bytes.length > bytesFilled, `${bytes.length} bytes`);
    const rows = sqlite.first("SELECT count(*) AS rows, sum(length(body)) AS chars FROM filled");
    sqlite.close();
    const again = await openSqlite(bytes);
    assert.equal(again.first("PRAGMA integrity_check")?.integrity_check, "ok");
    assert.deepEqual(again.first("SELECT count(*) AS rows, sum(length(body)) AS chars FROM filled"), rows);
    again.close();
  });

  test("opened from bytes is copied once, and keeps its data", async () => {
    const begun = await openSqlite(null);
    begun.script("CREATE TABLE filled (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
    fill(begun);
    const bytes = begun.export();
    begun.close();
    const sqlite = await openSqlite(bytes);
    const lengths = arraysMadeBy(() => fill(sqlite));
    assert.deepEqual(
      lengths.filter((length) => length > 1024 * 1024),
      [],
    );
    assert.equal(sqlite.first("PRAGMA integrity_check")?.integrity_check, "ok");
    sqlite.close();
  });
});

describe("a file that grows in place", () => {
  test("contains what was written before, at and beyond its end", () => {
    const file = growingFile(Uint8Array.of(1, 2, 3));
    file.set(Uint8Array.of(4), 1);
    assert.deepEqual(file.subarray(0, 3), Uint8Array.of(1, 4, 3));
    file.set(Uint8Array.of(5, 6), 2);
    file.set(Uint8Array.of(7), growthBytes + 1);
    assert.deepEqual(file.subarray(0, 5), Uint8Array.of(1, 4, 5, 6, 0));
    assert.deepEqual(file.subarray(growthBytes, growthBytes + 2), Uint8Array.of(0, 7));
  });

  test("is not moved when it becomes longer", () => {
    const file = growingFile(new Uint8Array(1));
    file.set(Uint8Array.of(1), 1);
    const memory = file.subarray(0, 1).buffer;
    file.set(Uint8Array.of(2), 10 * growthBytes);
    assert.equal(file.subarray(0, 1).buffer, memory);
  });
});
