/** Cookies that Chromium does not keep itself, in the profile's directory from one start to the next. */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cookie } from "../../protocol/cookies.ts";
import type { CdpSession } from "./cdp/session.ts";
import { readCookies, writeCookies } from "./cookies.ts";

/** As protected as Chromium's own cookies with its basic password store. */
const fileIn = (userDataDir: string) => join(userDataDir, "Session Cookies.json");

/** At a start: sets the kept cookies, or removes them from the disk. */
export function beginSession(browser: CdpSession, userDataDir: string, keeps: boolean): Promise<void> {
  return keeps ? restoreSessionCookies(browser, userDataDir) : forgetSessionCookies(userDataDir);
}

/** Sets the kept cookies, except those that the browser has. A file that cannot be read has none. */
async function restoreSessionCookies(browser: CdpSession, userDataDir: string): Promise<void> {
  const kept = await keptIn(userDataDir);
  if (kept.length === 0) return;
  const keyOf = ({ name, domain, path, partitionKey }: Cookie) =>
    JSON.stringify([name, domain, path, partitionKey ?? null]);
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

/** At a stop, when Chromium keeps the others itself. Removes the file when there are no such cookies. Throws system errors. */
export async function keepSessionCookies(browser: CdpSession, userDataDir: string): Promise<void> {
  const cookies = (await cookiesNow(browser))?.filter(({ expires }) => expires < 0);
  if (cookies?.length === 0) await forgetSessionCookies(userDataDir);
  else if (cookies !== undefined) await write(userDataDir, JSON.stringify(cookies));
}

/** Of a running browser all, because Chromium writes its own up to 30 s late. Returns what is kept now; `before`: what was. */
export async function keepCookies(browser: CdpSession, userDataDir: string, before: string): Promise<string> {
  const cookies = await cookiesNow(browser);
  const text = cookies === undefined ? before : JSON.stringify(cookies);
  if (text !== before) await write(userDataDir, text);
  return text;
}

/** Undefined without a page: when the last window closes, Chromium deletes those of the session. */
async function cookiesNow(browser: CdpSession): Promise<Cookie[] | undefined> {
  const cookies = await readCookies(browser); // Before the question whether there is a page.
  const { targetInfos } = await browser.send("Target.getTargets", {});
  return targetInfos.some(({ type }) => type === "page") ? cookies : undefined;
}

/** Replaces the file atomically; a killed service leaves a draft that the next write replaces. */
async function write(userDataDir: string, text: string): Promise<void> {
  const file = fileIn(userDataDir);
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** For a launch that keeps none: removes those of an earlier launch. */
async function forgetSessionCookies(userDataDir: string): Promise<void> {
  await rm(fileIn(userDataDir), { force: true });
}
