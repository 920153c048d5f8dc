/**
 * Blank user data directories: what a browser makes in an empty one before its first page answers, made ahead of need. With 96 of
 * these files there, that page answered after 231 ms and not 266, for 332 ms of processor time and not 393 (twelve rounds in turns,
 * ext4): a first launch is then like every later one.
 *
 * They are a pattern's, which the browser that tells the engine's facts leaves, one for each version of the engine. Nothing in it
 * tells whose it is: databases without rows, stores and caches without entries, the same bytes from every browser. Preferences, ids,
 * sessions and keys are not in it: each profile's browser makes its own.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { EngineConfig } from "../../../protocol/messages/pool.ts";
import { procFile } from "../../kernel/proc-file.ts";
import { readRegularFile } from "../../kernel/regular-file.ts";

/** A file of a pattern. */
export interface BlankFile {
  /** In the user data directory, with `/`. */
  path: string;
  bytes: Uint8Array;
}

interface Pattern {
  version: string;
  files: BlankFile[];
}

/** Left out for what is in them: `Web Data` (search engines of the host's country) and `DIPS` (a time). */
const databases = [
  "Account Web Data",
  "Affiliation Database",
  "Cookies",
  "Favicons",
  "History",
  "Login Data",
  "Login Data For Account",
  "Network Action Predictor",
  "Reporting and NEL",
  "ServerCertificate",
  "Shared Dictionary/db",
  "Shortcuts",
  "Top Sites",
  "Trust Tokens",
  "declarative_performance_observer.db",
  "heavy_ad_intervention_opt_out.db",
];
const stores = [
  "Extension Rules",
  "Extension Scripts",
  "Extension State",
  "Local Storage/leveldb",
  "Session Storage",
  "Site Characteristics Database",
];
/** Taken without their entries: of trials, and numbers of their own. */
const emptied = ["Sync Data/LevelDB", "shared_proto_db", "shared_proto_db/metadata"];
const entriesName = "000003.log";
const caches = ["Cache/Cache_Data", "Code Cache/js", "Code Cache/wasm", "Shared Dictionary/cache"];

const taken: ReadonlySet<string> = new Set(
  [
    ...databases,
    ...[...stores, ...emptied].flatMap((store) =>
      ["CURRENT", "LOCK", "MANIFEST-000001", entriesName].map((file) => `${store}/${file}`),
    ),
    ...caches.map((cache) => `${cache}/index`),
  ].map((path) => `Default/${path}`),
);
const takenEmpty: ReadonlySet<string> = new Set(emptied.map((store) => `Default/${store}/${entriesName}`));
/** Beside databases, and in stores that nothing was ever written to; taken when they are empty. */
const emptyOnes = /^Default\/(?:[^/]+\/){0,2}(?:LOCK|LOG|[^/]+-journal)$/;

const patternName = "blank-user-data.v8";
const makingName = "making";

/** Keeps what a browser of this version has left in `userDataDir`, which has ended in good order. */
export async function keepPattern(engine: EngineConfig, version: string, userDataDir: string): Promise<void> {
  const pattern: Pattern = { version, files: await patternIn(userDataDir) };
  const dir = engine.cacheDir ?? engine.tempDir;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const next = join(mkdtempSync(join(dir, "blank-")), patternName);
  await writeFile(next, serialize(pattern), { mode: 0o600 });
  await rename(next, join(dir, patternName));
  await rm(dirname(next), { recursive: true, force: true });
}

/** The files of a used directory that a blank one has, by path. */
export async function patternIn(userDataDir: string): Promise<BlankFile[]> {
  const entries = await readdir(userDataDir, { recursive: true });
  const files: BlankFile[] = [];
  for (const entry of entries.sort()) {
    const path = entry.replaceAll("\\", "/");
    const isEmptyOne = emptyOnes.test(path);
    if (!taken.has(path) && !isEmptyOne) continue;
    const found = await stat(join(userDataDir, entry));
    if (!found.isFile() || (isEmptyOne && !taken.has(path) && found.size > 0)) continue;
    const bytes = takenEmpty.has(path) ? new Uint8Array() : await readFile(join(userDataDir, entry));
    files.push({ path, bytes });
  }
  return files;
}

/** Makes one blank directory, unless as many as are wanted are there; answers whether more are wanted. */
export type MakeBlank = (goOn: () => boolean) => Promise<boolean>;

/** Makes them one at a time; gives up between two files once `goOn` is false: a launch has come. */
export function blankMaker(engine: EngineConfig): MakeBlank {
  /** Held from one to the next, a megabyte, and let go when there are enough. */
  let pattern: Pattern | null = null;
  return async (goOn) => {
    pattern ??= await readPattern(engine);
    const more = pattern !== null && (await makeOne(engine, pattern, goOn));
    if (!more) pattern = null;
    return more;
  };
}

async function makeOne(engine: EngineConfig, pattern: Pattern, goOn: () => boolean): Promise<boolean> {
  const room = engine.blanks?.dir;
  if (room === undefined) return false;
  await mkdir(room, { recursive: true, mode: 0o700 });
  const names = await readdir(room);
  const mine = prefixOf(pattern.version);
  // Of an engine that was replaced, or of a call that gave up.
  const others = names.filter((name) => !name.startsWith(mine));
  for (const name of others) await rm(join(room, name), { recursive: true, force: true });
  const ready = names.length - others.length;
  const wanted = engine.blanks?.count ?? 0;
  if (ready >= wanted || !goOn()) return false;
  const making = join(room, makingName);
  await mkdir(making, { mode: 0o700 });
  const dirs = new Set<string>();
  for (const file of pattern.files) {
    writeInto(making, file, dirs);
    await new Promise(setImmediate);
    if (!goOn()) return false;
  }
  await rename(making, mkdtempSync(join(room, mine)));
  return ready + 1 < wanted;
}

/**
 * Makes `userDataDir`, which is there and empty, a blank one: one that is ready, or in a batch, whose launches leave no quiet time to
 * make any, one that is written for it. That takes 12 ms of a core (90 files), the browser is spared 50 to 120. False when there is no
 * pattern: then it stays empty.
 */
export async function takeBlank(
  engine: EngineConfig,
  version: string,
  userDataDir: string,
): Promise<boolean> {
  const room = engine.blanks?.dir;
  if (room === undefined) return false;
  const names = await readdir(room).catch(() => []);
  const mine = prefixOf(version);
  const ready = names.filter((name) => name.startsWith(mine));
  // Launches that come together begin in different places.
  const start = Math.floor(Math.random() * ready.length);
  for (const name of [...ready.slice(start), ...ready.slice(0, start)]) {
    const moved = await rename(join(room, name), userDataDir).then(
      () => true,
      () => false, // Taken by another launch, or on another disk.
    );
    if (moved) return true;
  }
  return writeBlank(engine, version, userDataDir);
}

/** Written beside it and moved whole: what a crash leaves half made must not become a profile's. */
async function writeBlank(engine: EngineConfig, version: string, userDataDir: string): Promise<boolean> {
  const pattern = await readPattern(engine);
  if (pattern?.version !== version) return false;
  await mkdir(engine.tempDir, { recursive: true, mode: 0o700 });
  const beside = mkdtempSync(join(engine.tempDir, "blank-"));
  try {
    const dirs = new Set<string>();
    for (const file of pattern.files) writeInto(beside, file, dirs);
    await rename(beside, userDataDir);
    return true;
  } catch {
    await rm(beside, { recursive: true, force: true });
    return false; // A disk that is full, or another one: the browser makes its own.
  }
}

/** At once: a promise would cost the thread three times as much. `dirs` are those that are there. */
function writeInto(blank: string, { path, bytes }: BlankFile, dirs: Set<string>): void {
  const file = join(blank, path);
  const dir = dirname(file);
  if (!dirs.has(dir)) mkdirSync(dir, { recursive: true, mode: 0o700 });
  dirs.add(dir);
  writeFileSync(file, bytes, { mode: 0o600 });
}

/** Nothing is synced to the disk: what was made before the machine last started may not be whole. */
function prefixOf(version: string): string {
  const boot = procFile("/proc/sys/kernel/random/boot_id") ?? String(process.pid);
  return `ready-${version}-${boot.slice(0, 8).trim()}-`;
}

async function readPattern(engine: EngineConfig): Promise<Pattern | null> {
  const packed = await readRegularFile(join(engine.cacheDir ?? engine.tempDir, patternName));
  if (packed === null) return null;
  try {
    const pattern: Pattern = deserialize(packed); // Written whole by us.
    return pattern;
  } catch {
    return null;
  }
}
