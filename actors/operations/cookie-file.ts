/** Reads the cookie files of Playwright, Puppeteer and the EditThisCookie extension into one form. Pure. */
import type { Cookie, RefusedCookie } from "../../protocol/cookies.ts";

export interface CookieFile {
  cookies: { index: number; cookie: Cookie }[];
  refused: RefusedCookie[];
}

/** Refused, with the reason: what is no cookie, and what a browser would drop without a word. `now` is in milliseconds. */
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
    ...partitionOf(fields.get("partitionKey")),
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
    fields.has("domain") || typeof url !== "string" ? textOf(fields, "domain") : new URL(url).hostname;
  const bare = given.replace(/^\./, "");
  if (bare === "") throw new TypeError(`domain of ${JSON.stringify(name)} must name a host, got ""`);
  if ((fields.get("hostOnly") ?? null) === null) return given;
  return flagOf(fields, "hostOnly", name) ? bare : `.${bare}`;
}

/** From here on a number is milliseconds, which some tools write: it is in 2001, or as seconds in the year 33658. */
const millisecondsFrom = 1e12;

/** Seconds since 1970. */
function expiresOf(fields: ReadonlyMap<string, unknown>, name: string, now: number): number {
  if (flagOf(fields, "session", name)) return -1;
  const given = fields.get("expires") ?? fields.get("expirationDate") ?? -1;
  const seconds = typeof given === "string" ? Date.parse(given) / 1_000 : given;
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

function sameSiteOf(given: unknown): "Strict" | "Lax" | "None" | null {
  const word = typeof given === "string" ? given.toLowerCase() : "";
  if (word === "strict") return "Strict";
  if (word === "lax") return "Lax";
  return word === "none" || word === "no_restriction" ? "None" : null;
}

function partitionOf(given: unknown): Pick<Cookie, "partitionKey"> {
  const key: unknown = typeof given === "string" ? { topLevelSite: given } : given;
  if (typeof key !== "object" || key === null || !("topLevelSite" in key)) return {};
  const { topLevelSite } = key;
  if (typeof topLevelSite !== "string" || topLevelSite === "") return {};
  const hasCrossSiteAncestor = "hasCrossSiteAncestor" in key && key.hasCrossSiteAncestor === true;
  return { partitionKey: { topLevelSite, hasCrossSiteAncestor } };
}
