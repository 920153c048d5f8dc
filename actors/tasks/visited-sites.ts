/** The sites that a profile's browser has visited or keeps data of, read from its files. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "../../storage/row.ts";
import { openSqlite } from "../../storage/sqlite.ts";

/** Origins of http and https, those with data first, then the ones visited last. A file that cannot be read adds none. */
export async function visitedSites(userDataDir: string, max: number): Promise<string[]> {
  const profile = join(userDataDir, "Default");
  const found = await Promise.all([
    databaseSites(join(profile, "IndexedDB")),
    storageSites(join(profile, "Local Storage", "leveldb")),
    historySites(join(profile, "History"), max),
  ]);
  return [...new Set(found.flat())].slice(0, max);
}

/** Its directories have names such as `https_shop.example_8443.indexeddb.leveldb`; a port of 0 is the scheme's own. */
async function databaseSites(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.flatMap((name) => {
    const [, scheme, host, port] = /^(https?)_(.+)_(\d+)\.indexeddb\./.exec(name) ?? [];
    return scheme === undefined ? [] : originOf(`${scheme}://${host}${port === "0" ? "" : `:${port}`}`);
  });
}

/** What LevelDB has written in full: its newest records, and the first of each block. */
async function storageSites(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  const files = await Promise.all(
    names
      .filter((name) => /\.(log|ldb)$/.test(name))
      .map((name) => readFile(join(dir, name), "latin1").catch(() => "")),
  );
  return files.flatMap((bytes) =>
    [...bytes.matchAll(/(?:META(?:ACCESS)?:|_)(https?:\/\/[\w.:[\]-]{1,260})/g)].flatMap(([, url = ""]) =>
      originOf(url),
    ),
  );
}

async function historySites(file: string, max: number): Promise<string[]> {
  const bytes = await readFile(file).catch(() => null);
  if (bytes === null) return [];
  try {
    const sqlite = await openSqlite(bytes);
    try {
      const rows = sqlite.all("SELECT url FROM urls WHERE url LIKE 'http%' ORDER BY last_visit_time DESC");
      const origins = new Set<string>();
      for (const row of rows) for (const origin of originOf(text(row, "url"))) origins.add(origin);
      return [...origins].slice(0, max);
    } finally {
      sqlite.close();
    }
  } catch {
    return []; // Chromium writes it at this moment.
  }
}

function originOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { origin, protocol } = new URL(url);
  return protocol === "http:" || protocol === "https:" ? [origin] : [];
}
