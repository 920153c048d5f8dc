/** SQLite in memory (sql.js): statements, transactions that record what they execute, and export. The only file that uses sql.js. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import initSqlJs from "sql.js";
import { Fault } from "../protocol/faults.ts";
import { emptyDatabase, growingFile, openHeldBy } from "./growing-file.ts";
import type { Statement as Executed, SqlValue } from "./journal-records.ts";
import { beginCopy, type Copy, slicePagesDefault } from "./sqlite-copy.ts";

export type Row = Record<string, SqlValue>;

export interface Reader {
  all(sql: string, values?: SqlValue[]): Row[];
  first(sql: string, values?: SqlValue[]): Row | undefined;
}

/** SQL must be deterministic, because a journal replay executes it again. */
export interface Writer extends Reader {
  run(sql: string, values?: SqlValue[]): number;
}

export interface Sqlite extends Reader {
  /** Runs `work` atomically. Adds its statements to `executed`, unless it throws and rolls back. */
  transaction<T>(executed: Executed[], work: (sql: Writer) => T): T;
  /** Executes several statements without values, without recording them. */
  script(sql: string): void;
  /** An ordinary SQLite file. Pragmas and prepared statements stay. */
  export(): Uint8Array;
  copy(slicePages?: number): Copy;
  close(): void;
}

// The journal provides durability, so SQLite keeps its rollback journal in memory. Only this process opens the file, so an exclusive lock
// saves checks for changes.
const pragmas =
  "PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON";

// Node's resolution finds the same file from source and from a bundle.
const wasmPath = createRequire(import.meta.url).resolve("sql.js/dist/sql-wasm.wasm");
const wasm = readFileSync(wasmPath);
const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer; // readFileSync never returns shared memory.

const withoutMemory = (error: unknown) =>
  new Fault(
    "internal",
    `there is not enough memory to open the library (${String(error)}); end other programs, or raise this process's limit, as with: ulimit -v unlimited`,
  );

/** Opens a SQLite file's bytes and takes ownership of them; null opens an empty database. Throws if they are no database, `internal` without memory. */
export async function openSqlite(bytes: Uint8Array | null): Promise<Sqlite> {
  let sqlJs: Awaited<ReturnType<typeof initSqlJs>>;
  try {
    sqlJs = await initSqlJs({ wasmBinary });
  } catch (error) {
    throw withoutMemory(error);
  }
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

/** JSON turns these into null, so a replay would differ. */
function refuseUnfit(values: SqlValue[]): void {
  for (const value of values) {
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${value} cannot be bound`);
  }
}
