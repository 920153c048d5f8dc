/** The browser's cookies, read and written as a whole. */
import { type Cookie, isOf, type RefusedCookie } from "../../protocol/cookies.ts";
import { Fault } from "../../protocol/faults.ts";
import { type CdpSession, failureOf } from "./cdp/session.ts";
import { whyDropped, whyRefused } from "./cookie-reasons.ts";

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
  const read = await readCookies(browser);
  const there = createLookup(read, keyOf);
  const named = new Set(refused.map(({ index }) => index));
  for (const [index, cookie] of cookies.entries()) {
    const isThere = there(cookie).some((one) => isSamePartition(cookie, one));
    if (named.has(index) || isThere) continue;
    const { name, domain } = cookie;
    const error = `the browser dropped ${JSON.stringify(name)} of ${domain}: ${whyDropped(cookie, cookies.slice(index + 1), read)}`;
    refused.push({ index, error });
  }
  return refused;
}

/**
 * Replaces all, as `writeCookies`. The new ones are set before the others are removed: if the browser ends meanwhile, it has the old
 * ones or the new ones.
 */
export async function replaceCookies(
  browser: CdpSession,
  cookies: readonly Cookie[],
): Promise<RefusedCookie[]> {
  const refused = await writeCookies(browser, cookies);
  const given = createLookup(cookies, wholeOf);
  const isGiven = (there: Cookie) => given(there).some((one) => isSamePartition(one, there));
  const others = (await readCookies(browser)).filter((one) => !isGiven(one));
  if (others.length === 0) return refused;
  if ((await expire(browser, others)).length > 0) await deleteCookies(browser, null);
  return writeCookies(browser, cookies); // Others may have stood in the way, or have filled the browser.
}

/** Those of a host and of those below it; null: all. The others stay where they are. Throws when one of them stays. */
export async function deleteCookies(browser: CdpSession, domain: string | null): Promise<void> {
  if (domain === null) {
    await browser.send("Storage.clearCookies", {});
    return;
  }
  const those = (await readCookies(browser)).filter((one) => isOf(one, domain));
  const [left] = await expire(browser, those);
  if (left !== undefined)
    throw new Fault(
      "conflict",
      `the browser keeps the cookie ${JSON.stringify(left.name.slice(0, 80))} of ${left.domain}; delete all, without domain`,
    );
}

/** Removes these cookies of the browser. Returns those that stay. */
async function expire(browser: CdpSession, cookies: readonly Cookie[]): Promise<Cookie[]> {
  if (cookies.length === 0) return [];
  // A cookie that has expired takes the place of the one that is there. Its value can be any, and a nameless one needs one.
  await refusedOf(
    browser,
    cookies.map((cookie) => ({ ...cookie, value: "x", expires: 1 })),
  );
  const nameOf = (one: Cookie) => `${wholeOf(one)} ${JSON.stringify(one.partitionKey)}`;
  const named = new Set(cookies.map(nameOf));
  return (await readCookies(browser)).filter((one) => named.has(nameOf(one)));
}

/** Finds those with the key of another one; they may differ in their partitions. */
function createLookup(cookies: readonly Cookie[], key: (one: Cookie) => string) {
  const found = new Map<string, Cookie[]>();
  for (const one of cookies) found.set(key(one), [...(found.get(key(one)) ?? []), one]);
  return (cookie: Cookie): readonly Cookie[] => found.get(key(cookie)) ?? [];
}

/** Without its partition, and without its date, which the browser may shorten. */
function wholeOf(cookie: Cookie): string {
  const { domain, expires, secure, httpOnly, sameSite } = cookie;
  return JSON.stringify([keyOf(cookie), domain.startsWith("."), expires < 0, secure, httpOnly, sameSite]);
}

async function refusedOf(browser: CdpSession, cookies: readonly Cookie[]): Promise<RefusedCookie[]> {
  if (await taken(browser, cookies)) return [];
  // The browser takes all or none without naming the bad one, so set each by itself.
  const refused: RefusedCookie[] = [];
  for (const [index, cookie] of cookies.entries()) {
    if (await taken(browser, [cookie])) continue;
    const { name, domain } = cookie;
    const error = `the browser refuses ${JSON.stringify(name)} of ${domain}: ${whyRefused(cookie)}`;
    refused.push({ index, error });
  }
  return refused;
}

/** The browser writes a domain in its own form. */
function keyOf({ name, value, domain, path }: Cookie): string {
  const bare = domain.replace(/^\./, "");
  const address = `http://${bare}`;
  const host = URL.canParse(address) ? new URL(address).hostname : bare;
  return JSON.stringify([name, value, host, path]);
}

/** The browser makes a site of what is given: https://www.example.com:8443 is https://example.com. */
function isSamePartition({ partitionKey: given }: Cookie, { partitionKey: there }: Cookie): boolean {
  if (given === undefined || there === undefined) return given === there;
  if (given.hasCrossSiteAncestor !== there.hasCrossSiteAncestor) return false;
  if (!URL.canParse(given.topLevelSite) || !URL.canParse(there.topLevelSite)) return false;
  const [wanted, site] = [new URL(given.topLevelSite), new URL(there.topLevelSite)];
  return wanted.protocol === site.protocol && `.${wanted.hostname}`.endsWith(`.${site.hostname}`);
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
