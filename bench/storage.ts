/** Suite `storage`: durable writes (1 and 64 writers) and opening by size, compared with better-sqlite3 in WAL mode with full syncs. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../protocol/limits.ts";
import { nodeDisk } from "../storage/disk.ts";
import { openDatabase } from "../storage/open-database.ts";
import { importPeer, installPeers } from "./peers.ts";
import { roundsOf } from "./run/asked.ts";
import { seriesOf } from "./run/series.ts";
import { turnRatio } from "./run/statistics.ts";
import { withDataDir } from "./served.ts";
import { announce, report, samplesTable, type Target } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

/** Several seconds each, because disk speed varies. */
const usualRounds = { one: 300, many: 120 };
const writesPerTurn = 20;
const writers = 64;
const crowdsPerTurn = 5;
const sizes = [1_000, 10_000, 100_000];
const usualOpenings = 12;

const names = { ours: "Troupe", theirs: "better-sqlite3, WAL, synchronous=FULL" } as const;

const schema = `CREATE TABLE entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE INDEX entries_at ON entries (at)`;
const insert = "INSERT INTO entries (name, at, body) VALUES (?, ?, ?)";
const countAll = "SELECT count(*) AS count FROM entries";
const body = JSON.stringify({ title: "An entry", tags: ["one", "two"], text: "x".repeat(200) });

interface Store {
  write(values: string[]): Promise<unknown>;
  fill(rows: string[][]): Promise<unknown>;
  count(): Promise<number>;
  close(): Promise<void>;
}

type Open = (dir: string) => Promise<Store>;

export async function runStorageSuite(): Promise<void> {
  await installPeers();
  const conditions = announce(
    "storage",
    `durable writes, one and ${writers} at once; opening of ${sizes.join(", ")} rows`,
  );
  const contestants: [string, Open][] = [
    [names.ours, openOurs],
    [names.theirs, await betterSqlite()],
  ];
  await withDataDir(async (root) => {
    const { one, many } = await measureWrites(contestants, root);
    const openings = new Map<number, Map<string, number[]>>();
    for (const size of sizes) openings.set(size, await measureOpening(contestants, root, size));
    const faster = (samples: Map<string, number[]>) =>
      turnRatio(samples.get(names.theirs) ?? [], samples.get(names.ours) ?? []);
    const targets: Target[] = [
      {
        what: `writes a second over better-sqlite3's, ${writers} at once`,
        figure: faster(many),
        limit: 1.5,
        atLeast: true,
      },
      {
        what: "writes a second over better-sqlite3's, one at a time",
        figure: faster(one),
        limit: 0.7,
        atLeast: true,
      },
    ];
    report(
      "storage",
      [
        samplesTable(one, names.theirs, 3, "ms a write, one at a time"),
        samplesTable(many, names.theirs, 3, `ms for ${writers} at once`),
        ...[...openings].map(([size, samples]) =>
          samplesTable(samples, names.theirs, 1, `ms to open ${size} rows`),
        ),
      ].join("\n\n"),
      targets,
      {
        ...conditions,
        series: [
          ...seriesOf("a write, one at a time", one, { base: names.theirs, perTurn: writesPerTurn }),
          ...seriesOf(`${writers} writes at once`, many, { base: names.theirs, perTurn: crowdsPerTurn }),
          ...[...openings].flatMap(([size, samples]) =>
            seriesOf(`open ${size} rows`, samples, { base: names.theirs }),
          ),
        ],
      },
    );
  });
}

async function measureWrites(contestants: [string, Open][], root: string) {
  const stores: [string, Store][] = [];
  try {
    for (const [index, [name, open]] of contestants.entries()) {
      const dir = join(root, `writes-${index}`);
      await mkdir(dir);
      stores.push([name, await open(dir)]);
    }
    let rows = 0;
    const next = () => {
      rows += 1;
      return rowOf(rows);
    };
    const kinds = (run: (store: Store) => Promise<unknown>) =>
      stores.map(([name, store]) => ({ name, run: () => run(store) }));
    const rounds = { one: roundsOf(usualRounds.one), many: roundsOf(usualRounds.many) };
    const one = await takeTurns(
      kinds((store) => store.write(next())),
      rounds.one,
      writesPerTurn,
    );
    const crowd = (store: Store) => Promise.all(Array.from({ length: writers }, () => store.write(next())));
    const many = await takeTurns(kinds(crowd), rounds.many, crowdsPerTurn);
    const each = (rounds.one + 1) * writesPerTurn + (rounds.many + 1) * writers * crowdsPerTurn;
    for (const [name, store] of stores) {
      const count = await store.count();
      if (count !== each) throw new Error(`${name} holds ${count} of ${each} rows`);
    }
    return { one, many };
  } finally {
    for (const [, store] of stores) await store.close();
  }
}

async function measureOpening(contestants: [string, Open][], root: string, size: number) {
  const kinds = [];
  for (const [index, [name, open]] of contestants.entries()) {
    const dir = join(root, `opening-${size}-${index}`);
    await mkdir(dir);
    const filled = await open(dir);
    await filled.fill(Array.from({ length: size }, (_, row) => rowOf(row)));
    await filled.close();
    let opened: Store | null = null;
    kinds.push({
      name,
      run: async () => {
        opened = await open(dir);
        const count = await opened.count();
        if (count !== size) throw new Error(`${name} opened ${count} of ${size} rows`);
      },
      after: async () => opened?.close(),
    });
  }
  return takeTurns(kinds, roundsOf(usualOpenings));
}

function rowOf(index: number): string[] {
  return [`Entry ${index}`, new Date(1_700_000_000_000 + index * 1_000).toISOString(), body];
}

async function openOurs(dir: string): Promise<Store> {
  const database = await openDatabase({
    disk: nodeDisk,
    dir,
    migrations: [schema],
    journalBytesMin: limits.journalBytesMin,
    broken: (fault) => {
      throw fault;
    },
    warn: () => {},
  });
  return {
    write: (values) => database.write((sql) => sql.run(insert, values)),
    fill: (rows) =>
      database.write((sql) => {
        for (const values of rows) sql.run(insert, values);
      }),
    count: () => database.read((sql) => Number(sql.first(countAll)?.count)),
    close: () => database.close(),
  };
}

interface BetterSqlite {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(sql: string): { run(...values: string[]): unknown; get(): { count: number } };
  transaction(work: (rows: string[][]) => void): (rows: string[][]) => void;
  close(): void;
}

/** As its documentation advises: WAL, prepared statements; synchronous=FULL makes each commit durable. */
async function betterSqlite(): Promise<Open> {
  const Database: new (file: string) => BetterSqlite = (await importPeer("better-sqlite3")).default;
  return async (dir) => {
    const database = new Database(join(dir, "entries.sqlite"));
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.exec(
      schema
        .replaceAll("CREATE TABLE", "CREATE TABLE IF NOT EXISTS")
        .replaceAll("CREATE INDEX", "CREATE INDEX IF NOT EXISTS"),
    );
    const statement = database.prepare(insert);
    const counting = database.prepare(countAll);
    const fill = database.transaction((rows) => {
      for (const values of rows) statement.run(...values);
    });
    return {
      write: async (values) => statement.run(...values),
      fill: async (rows) => fill(rows),
      count: async () => counting.get().count,
      close: async () => database.close(),
    };
  };
}
