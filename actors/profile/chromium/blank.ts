/** Blank user data directories: files that a new browser would create, made ahead for fast first launches. They have no ids or data. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { EngineConfig } from "../../../protocol/messages/pool.ts";
import { bootId } from "../../kernel/proc-file.ts";
import { readRegularFile } from "../../kernel/regular-file.ts";
import { replaceFile } from "../../kernel/replace-file.ts";

export interface BlankFile {
  /** Relative to the user data directory, with `/`. */
  path: string;
  bytes: Uint8Array;
}

interface Pattern {
  version: string;
  files: BlankFile[];
}

/** Without `Web Data` (search engines of the host's country) and `DIPS` (a time), which have data. */
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
/** Copied without their entries, which differ between browsers. */
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
/** Journals, locks and logs, copied only when they are empty. */
const emptyOnes = /^Default\/(?:[^/]+\/){0,2}(?:LOCK|LOG|[^/]+-journal)$/;

const patternName = "blank-user-data.v8";
const makingName = "making";

/** Saves the pattern from the directory of a browser of this version that ended normally. */
export async function keepPattern(engine: EngineConfig, version: string, userDataDir: string): Promise<void> {
  const pattern: Pattern = { version, files: await patternIn(userDataDir) };
  const dir = engine.cacheDir ?? engine.tempDir;
  await replaceFile(join(dir, patternName), (draft) => writeFile(draft, serialize(pattern), { mode: 0o600 }));
}

/** The files of a used directory that belong in a blank one, by path. */
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

/** Makes one blank directory, unless enough are ready; returns whether more are wanted. */
export type MakeBlank = (goOn: () => boolean) => Promise<boolean>;

/** Stops between two files once `goOn` returns false, because a launch has come. */
export function blankMaker(engine: EngineConfig): MakeBlank {
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

/** Fills the empty `userDataDir` with a prepared directory, or with new files if none is ready. False without a pattern. */
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
  // Start at random, so that simultaneous launches rarely take the same one.
  const start = Math.floor(Math.random() * ready.length);
  for (const name of [...ready.slice(start), ...ready.slice(0, start)]) {
    const moved = await rename(join(room, name), userDataDir).then(
      () => true,
      () => false, // Taken by another launch, or on another file system.
    );
    if (moved) return true;
  }
  return writeBlank(engine, version, userDataDir);
}

/** Moved into place when complete: a crash must not leave a profile with half the files. */
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
    return false; // The disk is full, or it is another file system: the browser makes its own files.
  }
}

/** Synchronous, because promises would cost the thread much more. `dirs` are the existing directories. */
function writeInto(blank: string, { path, bytes }: BlankFile, dirs: Set<string>): void {
  const file = join(blank, path);
  const dir = dirname(file);
  if (!dirs.has(dir)) mkdirSync(dir, { recursive: true, mode: 0o700 });
  dirs.add(dir);
  writeFileSync(file, bytes, { mode: 0o600 });
}

/** Includes the boot id: files are not synced, so those of an earlier boot may be incomplete. */
function prefixOf(version: string): string {
  const boot = bootId() ?? String(process.pid);
  return `ready-${version}-${boot.slice(0, 8)}-`;
}

async function readPattern(engine: EngineConfig): Promise<Pattern | null> {
  const packed = await readRegularFile(join(engine.cacheDir ?? engine.tempDir, patternName));
  if (packed === null) return null;
  try {
    const pattern: Pattern = deserialize(packed); // Only complete files have this name.
    return pattern;
  } catch {
    return null;
  }
}
