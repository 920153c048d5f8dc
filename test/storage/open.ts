/** Opens a small database for tests, with one table of notes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Database, DatabaseOptions } from "../../storage/database.ts";
import { nodeDisk } from "../../storage/disk.ts";
import { openDatabase } from "../../storage/open-database.ts";
import type { Migration } from "../../storage/schema.ts";

export const notes: Migration = "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT";

export function temporaryDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "troupe-storage-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function openNotes(dir: string, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  return openDatabase({
    disk: nodeDisk,
    dir,
    migrations: [notes],
    journalBytesMin: 1024 * 1024,
    broken: () => {},
    warn: () => {},
    ...options,
  });
}

type Calls = Pick<Database, "write" | "read">;

export function addNote(database: Calls, body: string): Promise<number> {
  return database.write((sql) => sql.run("INSERT INTO notes (body) VALUES (?)", [body]));
}

export function readNotes(database: Calls): Promise<string[]> {
  return database.read((sql) => sql.all("SELECT body FROM notes ORDER BY id").map((row) => String(row.body)));
}
