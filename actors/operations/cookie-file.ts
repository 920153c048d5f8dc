/** Reads the cookie files of Playwright, Puppeteer, Selenium and the EditThisCookie extension into one form. Pure. */
import { isIPv6 } from "node:net";
import type { Cookie, RefusedCookie } from "../../protocol/cookies.ts";

export interface CookieFile {
  cookies: { index: number; cookie: Cookie }[];
  refused: RefusedCookie[];
}

/** Refuses, with the reason, what is not a cookie and what a browser would drop silently. `now` is in milliseconds. */
export function readCookieFile(entries: readonly unknown[], now: number): CookieFile {
  const file: CookieFile = { cookies: [], refused: [] };
  for (const [index, entry] of entries.entries()) {
    try {
      file.cookies.push({ index, cookie: cookieOf(entry, now) });
    } catch (error) {
      file.refused.push({ index, error: error instanceof Error ? error.message : String(error) });
    }
  }
  return file;
}

function cookieOf(entry: unknown, now: number): Cookie {
  if (typeof entry === "string")
    throw new TypeError(
      `${entry.slice(0, 60)}; a line of cookies.txt has 7 fields between tabs: domain, TRUE or FALSE, path, TRUE or FALSE, expiry in seconds, name, value`,
    );
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    throw new TypeError(`a cookie must be an object, got ${JSON.stringify(entry)?.slice(0, 40)}`);
  const fields = new Map<string, unknown>(Object.entries(entry));
  const name = textOf(fields, "name");
  const sameSite = sameSiteOf(fields.get("sameSite"));
  const secure = flagOf(fields, "secure", name);
  if (sameSite === "None" && !secure)
    throw new TypeError(
      `sameSite of ${JSON.stringify(name)} is ${fields.get("sameSite")}, which needs "secure": true; browsers drop it otherwise`,
    );
  return {
    name,
    value: textOf(fields, "value"),
    domain: domainOf(fields, name),
    path: fields.has("path") ? textOf(fields, "path") || "/" : "/",
    expires: expiresOf(fields, name, now),
    httpOnly: flagOf(fields, "httpOnly", name),
    secure,
    ...(sameSite === null ? {} : { sameSite }),
    ...partitionOf(fields, name),
  };
}

function textOf(fields: ReadonlyMap<string, unknown>, field: string): string {
  const value = fields.get(field);
  if (typeof value === "string") return value;
  throw new TypeError(`${field} must be a string, got ${JSON.stringify(value) ?? "nothing"}`.slice(0, 120));
}

function flagOf(fields: ReadonlyMap<string, unknown>, field: string, name: string): boolean {
  const value = fields.get(field) ?? false;
  if (typeof value === "boolean") return value;
  const got = JSON.stringify(value)?.slice(0, 40);
  throw new TypeError(`${field} of ${JSON.stringify(name)} must be true or false, got ${got}`);
}

/** EditThisCookie sets `hostOnly`; Playwright and Puppeteer mark a cookie for subdomains with a leading dot. */
function domainOf(fields: ReadonlyMap<string, unknown>, name: string): string {
  const url = fields.get("url");
  const given =
    fields.has("domain") || typeof url !== "string" ? textOf(fields, "domain") : hostOf(url, name);
  const bare = given.replace(/^\./, "");
  if (!isHost(bare))
    throw new TypeError(
      `domain of ${JSON.stringify(name)} must name a host, such as shop.example, got ${JSON.stringify(given.slice(0, 80))}`,
    );
  if ((fields.get("hostOnly") ?? null) === null) return given;
  return flagOf(fields, "hostOnly", name) ? bare : `.${bare}`;
}

/**
 * Whether it is only a host, perhaps with a port, which cookies do not have. A browser takes a host out of other text: `http` of an address,
 * `%20shop.example` of one with a space.
 */
function isHost(bare: string): boolean {
  if (/[\s/\\?#@%*]/.test(bare) || bare.startsWith(".")) return false;
  const isAlone = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.test(bare) || isIPv6(bare);
  return isAlone && (isIPv6(bare) || URL.canParse(`http://${bare}`));
}

function hostOf(url: string, name: string): string {
  if (URL.canParse(url)) return new URL(url).hostname;
  throw new TypeError(
    `url of ${JSON.stringify(name)} must be a URL such as https://example.com, got ${JSON.stringify(url)}`.slice(
      0,
      200,
    ),
  );
}

/** From here on a number is milliseconds, which some tools write: it is in 2001, or as seconds in the year 33658. */
const millisecondsFrom = 1e12;

/** Seconds since 1970. */
function expiresOf(fields: ReadonlyMap<string, unknown>, name: string, now: number): number {
  if (flagOf(fields, "session", name)) return -1;
  const given = fields.get("expires") ?? fields.get("expirationDate") ?? fields.get("expiry") ?? -1;
  const seconds = typeof given === "string" ? secondsIn(given) : given;
  if (typeof seconds !== "number" || !Number.isFinite(seconds))
    throw new TypeError(
      `expires of ${JSON.stringify(name)} must be seconds since 1970, got ${JSON.stringify(given)}`,
    );
  if (seconds <= 0) return -1;
  const expires = seconds >= millisecondsFrom ? seconds / 1_000 : seconds;
  if (expires * 1_000 <= now)
    throw new TypeError(`expires of ${JSON.stringify(name)} is past: ${JSON.stringify(given)}`);
  return expires;
}

function secondsIn(text: string): number {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1_000;
}

function sameSiteOf(given: unknown): "Strict" | "Lax" | "None" | null {
  const word = typeof given === "string" ? given.toLowerCase() : "";
  if (word === "strict") return "Strict";
  if (word === "lax") return "Lax";
  return word === "none" || word === "no_restriction" ? "None" : null;
}

/** Playwright writes the site as text, Puppeteer as `sourceOrigin`, DevTools and extensions as `topLevelSite`. */
function partitionOf(fields: ReadonlyMap<string, unknown>, name: string): Pick<Cookie, "partitionKey"> {
  const given = fields.get("partitionKey") ?? "";
  const parts = new Map<string, unknown>(Object.entries(Object(given)));
  const site = typeof given === "string" ? given : (parts.get("topLevelSite") ?? parts.get("sourceOrigin"));
  if (site === "" || (site === undefined && parts.size === 0 && typeof given === "object")) return {};
  if (typeof site !== "string" || !URL.canParse(site))
    throw new TypeError(
      `partitionKey of ${JSON.stringify(name)} must name a site such as "https://example.com", got ${JSON.stringify(given)?.slice(0, 60)}`,
    );
  const ancestor = typeof given === "string" ? "_crHasCrossSiteAncestor" : "hasCrossSiteAncestor";
  const hasCrossSiteAncestor = (typeof given === "string" ? fields : parts).get(ancestor) === true;
  return { partitionKey: { topLevelSite: site, hasCrossSiteAncestor } };
}
