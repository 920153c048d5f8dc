/** The browser's cookies, read and written as a whole. */
import { type Cookie, isOf, type RefusedCookie } from "../../protocol/cookies.ts";
import { type CdpSession, failureOf } from "./cdp/session.ts";

export async function readCookies(browser: CdpSession): Promise<Cookie[]> {
  const { cookies } = await browser.send("Storage.getCookies", {});
  return cookies.map((cookie) => ({
    name: cookie.name,
    value: cookie.value,
    domain: cookie.domain,
    path: cookie.path,
    expires: cookie.session ? -1 : cookie.expires,
    httpOnly: cookie.httpOnly,
    secure: cookie.secure,
    ...(cookie.sameSite === undefined ? {} : { sameSite: cookie.sameSite }),
    ...(cookie.partitionKey === undefined ? {} : { partitionKey: cookie.partitionKey }),
  }));
}

/** Adds or replaces cookies (by name, domain and path). Returns those that the browser refuses or drops; the others are set. */
export async function writeCookies(
  browser: CdpSession,
  cookies: readonly Cookie[],
): Promise<RefusedCookie[]> {
  const refused = await refusedOf(browser, cookies);
  const there = new Set((await readCookies(browser)).map(keyOf));
  const named = new Set(refused.map(({ index }) => index));
  for (const [index, cookie] of cookies.entries()) {
    if (named.has(index) || there.has(keyOf(cookie))) continue;
    const name = JSON.stringify(cookie.name);
    refused.push({
      index,
      error: `the browser dropped ${name} of ${cookie.domain}: its fields do not go together`,
    });
  }
  return refused;
}

/** Those of a host and of those below it; null: all. */
export async function deleteCookies(browser: CdpSession, domain: string | null): Promise<void> {
  const others = domain === null ? [] : (await readCookies(browser)).filter((one) => !isOf(one, domain));
  await browser.send("Storage.clearCookies", {});
  if (others.length > 0) await writeCookies(browser, others);
}

async function refusedOf(browser: CdpSession, cookies: readonly Cookie[]): Promise<RefusedCookie[]> {
  if (await taken(browser, cookies)) return [];
  // The browser takes all or none without naming the bad one, so set each by itself.
  const refused: RefusedCookie[] = [];
  for (const [index, cookie] of cookies.entries()) {
    if (await taken(browser, [cookie])) continue;
    refused.push({ index, error: `the browser refuses ${JSON.stringify(cookie.name)} of ${cookie.domain}` });
  }
  return refused;
}

/** The browser writes a domain in its own form. */
function keyOf({ name, value, domain, path, partitionKey }: Cookie): string {
  const bare = domain.replace(/^\./, "");
  const address = `http://${bare}`;
  const host = URL.canParse(address) ? new URL(address).hostname : bare;
  return JSON.stringify([name, value, host, path, partitionKey?.topLevelSite ?? null]);
}

async function taken(browser: CdpSession, cookies: readonly Cookie[]): Promise<boolean> {
  try {
    await browser.send("Storage.setCookies", { cookies: cookies.map(paramOf) });
    return true;
  } catch (error) {
    if (failureOf(error) !== "refused") throw error;
    return false;
  }
}

function paramOf({ expires, ...cookie }: Cookie) {
  return expires < 0 ? cookie : { ...cookie, expires };
}
