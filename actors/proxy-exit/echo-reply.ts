/** Parses the reply of an echo service: a plain address, or JSON with common field names. */
import { isIP } from "node:net";
import { knownTimezone } from "../../protocol/timezones.ts";

/** Unknown values are null. */
export interface Place {
  country: string | null;
  city: string | null;
  timezone: string | null;
}

export interface EchoReply extends Place {
  ip: string;
}

const spellings = {
  ip: [
    "ip",
    "query",
    "origin",
    "ip_address",
    "ipAddress",
    "ip_addr",
    "ipv4",
    "client_ip",
    "clientIp",
    "address",
  ],
  country: [
    "country_code",
    "countryCode",
    "country_iso",
    "country_code2",
    "countryIso",
    "iso_code",
    "code",
    "country",
  ],
  countryName: ["country", "country_name", "countryName"],
  city: ["city", "city_name", "cityName"],
  timezone: ["timezone", "time_zone", "timeZone", "tz", "timezone_id"],
} as const;

/** Objects in which services put the location, and fields for objects in place of text. */
const parts = ["location", "geo", "data", "result"];
const objectNames = ["id", "name", "code", "iso_code", "ID", "Name"];

export function readEchoReply(body: string): EchoReply | null {
  const text = body.trim();
  const bare = addressIn(text);
  if (bare !== null) return { ip: bare, country: null, city: null, timezone: null };
  const found = objectIn(text);
  if (found === null) return null;
  const said = [found, ...parts.map((part) => found[part])].filter(isObject);
  const ip = first(said, spellings.ip, addressIn);
  if (ip === null) return null;
  return {
    ip,
    country:
      first(said, spellings.country, countryCodeOf) ?? first(said, spellings.countryName, countryOfName),
    city: first(said, spellings.city, (value) => value || null),
    timezone: first(said, spellings.timezone, knownTimezone),
  };
}

type Said = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Said {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectIn(text: string): Said | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return { ip: value };
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function first(
  said: readonly Said[],
  keys: readonly string[],
  read: (text: string) => string | null,
): string | null {
  for (const one of said) {
    for (const key of keys) {
      const value = one[key];
      const texts = isObject(value) ? objectNames.map((name) => value[name]) : [value];
      for (const text of texts) {
        const taken = typeof text === "string" ? read(text.trim()) : null;
        if (taken !== null) return taken;
      }
    }
  }
  return null;
}

/** In a chain of proxies (`a, b`), the first address is the exit's. */
function addressIn(text: string): string | null {
  const address = (text.split(",")[0] ?? "").trim().replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? null : address;
}

export function countryCodeOf(text: string): string | null {
  return /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : null;
}

let codesByName: ReadonlyMap<string, string> | null = null;

/** Built on first use, because names are rare. */
function countryOfName(name: string): string | null {
  codesByName ??= countryNames();
  return codesByName.get(name.toLowerCase()) ?? null;
}

function countryNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const map = new Map<string, string>();
  for (const code of letters.flatMap((one) => letters.map((two) => one + two))) {
    const name = names.of(code)?.toLowerCase();
    const ofToday = Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`; // Skip former codes: DD is called Germany too.
    if (name !== undefined && ofToday) map.set(name, code);
  }
  return map;
}
