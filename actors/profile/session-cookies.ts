/** Cookies that last for a browser session, kept in the profile's directory from one start to the next. */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cookie } from "../../protocol/cookies.ts";
import type { CdpSession } from "./cdp/session.ts";
import { readCookies, writeCookies } from "./cookies.ts";

/** Beside Chromium's own cookies, which it seals no better with its basic store. */
const fileIn = (userDataDir: string) => join(userDataDir, "Session Cookies.json");

/** Sets the kept cookies, except those that the browser has. A file that cannot be read has none. */
export async function restoreSessionCookies(browser: CdpSession, userDataDir: string): Promise<void> {
  const kept = await keptIn(userDataDir);
  if (kept.length === 0) return;
  const keyOf = ({ name, domain, path, partitionKey }: Cookie) =>
    JSON.stringify([name, domain, path, partitionKey?.topLevelSite ?? null]);
  const there = new Set((await readCookies(browser)).map(keyOf));
  await writeCookies(
    browser,
    kept.filter((cookie) => !there.has(keyOf(cookie))),
  );
}

async function keptIn(userDataDir: string): Promise<Cookie[]> {
  const text = await readFile(fileIn(userDataDir), "utf8").catch(() => "[]");
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

/** Whole or not at all. Without such cookies no file. Throws system errors. */
export async function keepSessionCookies(browser: CdpSession, userDataDir: string): Promise<void> {
  const cookies = (await readCookies(browser)).filter(({ expires }) => expires < 0);
  const file = fileIn(userDataDir);
  if (cookies.length === 0) return rm(file, { force: true });
  await writeFile(`${file}.new`, JSON.stringify(cookies), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** For a launch that keeps none: what an earlier one kept goes. */
export async function forgetSessionCookies(userDataDir: string): Promise<void> {
  await rm(fileIn(userDataDir), { force: true });
}
