/** SQLite in memory (sql.js): statements, transactions that note what they executed, export. The one place that knows sql.js. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import initSqlJs from "sql.js";
import { emptyDatabase, growingFile, openHeldBy } from "./growing-file.ts";
import type { Statement as Executed, SqlValue } from "./record.ts";
import { beginCopy, type Copy, slicePagesDefault } from "./sqlite-copy.ts";

export type Row = Record<string, SqlValue>;

/** Asks; the rows are copies. */
export interface Reader {
  all(sql: string, values?: SqlValue[]): Row[];
  first(sql: string, values?: SqlValue[]): Row | undefined;
}

/** Asks and changes. SQL must be deterministic: it is executed again when the journal is replayed. */
export interface Writer extends Reader {
  /** Executes one statement and answers how many rows it changed. */
  run(sql: string, values?: SqlValue[]): number;
}

export interface Sqlite extends Reader {
  /** All or nothing: what `work` executed is rolled back when it throws, and noted in `executed` when it does not. */
  transaction<T>(executed: Executed[], work: (sql: Writer) => T): T;
  /** Executes several statements without values; not noted anywhere. */
  script(sql: string): void;
  /** The bytes of an ordinary SQLite file. Pragmas and prepared statements live on. */
  export(): Uint8Array;
  /** Begins a copy that is taken in slices of so many pages. */
  copy(slicePages?: number): Copy;
  close(): void;
}

// Rollback in memory costs 10 µs a transaction, on sql.js's pretended disk 67; durability is the journal's work, not SQLite's.
// The lock is never let go, for nobody else can open the file: SQLite need not look whether it has changed since, 20 µs a transaction.
const pragmas =
  "PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON";

// Found through Node's own resolution, so that it is the same file from source and from a bundle.
const wasmPath = createRequire(import.meta.url).resolve("sql.js/dist/sql-wasm.wasm");
const wasm = readFileSync(wasmPath);
const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer; // readFile's pool is never shared.

/** Opens a database from the bytes of a SQLite file, which are its own from then on, or an empty one. Throws when they are no database. */
export async function openSqlite(bytes: Uint8Array | null): Promise<Sqlite> {
  const sqlJs = await initSqlJs({ wasmBinary });
  const begun = bytes ?? emptyDatabase(sqlJs);
  const database = openHeldBy(sqlJs, begun, growingFile(begun));
  database.exec(pragmas);
  const prepared = new Map<string, ReturnType<typeof database.prepare>>();
  const statementOf = (sql: string) => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };

  const all = (sql: string, values: SqlValue[] = []): Row[] => {
    const statement = statementOf(sql);
    try {
      statement.bind(values);
      const rows: Row[] = [];
      while (statement.step()) rows.push(statement.getAsObject());
      return rows;
    } finally {
      statement.reset();
    }
  };
  const run = (sql: string, values: SqlValue[] = []): number => {
    const statement = statementOf(sql);
    try {
      statement.bind(values);
      statement.step();
    } finally {
      statement.reset();
    }
    return database.getRowsModified();
  };
  const first = (sql: string, values: SqlValue[] = []) => all(sql, values)[0];

  return {
    all,
    first,
    transaction(executed, work) {
      run("BEGIN");
      try {
        const noted: Executed[] = [];
        const value = work({
          all,
          first,
          run(sql, values = []) {
            refuseUnfit(values);
            const changed = run(sql, values);
            noted.push([sql, values]);
            return changed;
          },
        });
        run("COMMIT");
        executed.push(...noted);
        return value;
      } catch (error) {
        run("ROLLBACK");
        throw error;
      }
    },
    script: (sql) => void database.exec(sql),
    export: () => database.export(),
    copy: (slicePages = slicePagesDefault) => beginCopy(sqlJs, database, slicePages),
    close: () => database.close(),
  };
}

/** JSON turns these into null, and replay would differ from what was executed. */
function refuseUnfit(values: SqlValue[]): void {
  for (const value of values) {
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${value} cannot be bound`);
  }
}
