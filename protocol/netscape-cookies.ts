/** Reads and writes a Netscape `cookies.txt`, as browsers' extensions, curl and yt-dlp do. Pure. */
import type { Cookie } from "./cookies.ts";

const httpOnlyMark = "#HttpOnly_";

/** Entries of a cookie file, one for each line that is no comment; a line that is no cookie stays text, which is refused with its number. */
export function netscapeEntries(text: string): unknown[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .map((line, at) => ({ line, number: at + 1 }))
    .filter(({ line }) => line.trim() !== "" && (!line.startsWith("#") || line.startsWith(httpOnlyMark)))
    .map(({ line, number }) => entryOf(line, number));
}

function entryOf(line: string, number: number): unknown {
  const httpOnly = line.startsWith(httpOnlyMark);
  const fields = line.slice(httpOnly ? httpOnlyMark.length : 0).split("\t");
  const [domain = "", below = "", path = "", secure = "", expires = "", name = "", value = ""] = fields;
  const isCookie = fields.length === 6 || fields.length === 7;
  if (
    !isCookie ||
    !/^(TRUE|FALSE)$/i.test(below) ||
    !/^(TRUE|FALSE)$/i.test(secure) ||
    !/^(-?\d+(\.\d+)?)?$/.test(expires) // Empty or -1, as some extensions write it: until the session ends.
  )
    return `line ${number}: ${fields.length} fields`;
  return {
    name,
    value,
    domain: domain.replace(/^\./, ""),
    hostOnly: below.toUpperCase() === "FALSE" && !domain.startsWith("."), // Some extensions write FALSE beside a dot.
    path,
    secure: secure.toUpperCase() === "TRUE",
    httpOnly,
    expires: Number(expires) > 0 ? Number(expires) : -1,
  };
}

/** With the mark of httpOnly cookies that curl and others read. */
export function netscapeText(all: readonly Cookie[]): string {
  const yes = (value: boolean) => (value ? "TRUE" : "FALSE");
  const lines = all.map(({ domain, path, secure, expires, name, value, httpOnly }) =>
    [
      `${httpOnly ? httpOnlyMark : ""}${domain}`,
      yes(domain.startsWith(".")),
      path,
      yes(secure),
      String(expires < 0 ? 0 : Math.round(expires)),
      name,
      value,
    ].join("\t"),
  );
  return ["# Netscape HTTP Cookie File", ...lines, ""].join("\n");
}
