/** Why a browser does not take a cookie, in words: it does not say so itself. Pure. */
import type { Cookie } from "../../protocol/cookies.ts";

/** Chromium's limits (net/cookies/cookie_monster.h, parsed_cookie.h). Beyond one it deletes down to about nine tenths. */
const textBytesMax = 4_096;
const ofSiteMax = 180;
const ofSiteAfter = 150;
const inAllAfter = 3_000;

export function whyRefused(cookie: Cookie): string {
  const { name, value, domain, path, secure, partitionKey } = cookie;
  const prefix = name.toLowerCase();
  if (!path.startsWith("/")) return `path must begin with "/", got ${JSON.stringify(path.slice(0, 80))}`;
  if (partitionKey !== undefined && !secure) return 'with partitionKey it needs "secure": true';
  if (prefix.startsWith("__secure-") && !secure)
    return 'its name begins with __Secure-, which needs "secure": true';
  if (prefix.startsWith("__host-") && (!secure || path !== "/" || domain.startsWith(".")))
    return 'its name begins with __Host-, which needs "secure": true, path "/" and a domain without a dot before it';
  if (domain.includes(":") && !domain.includes("[")) return `domain must be a host, an IPv6 address as [::1]`;
  if (Buffer.byteLength(name + value) > textBytesMax)
    return `name and value have more than ${textBytesMax} bytes together`;
  return "name and value must have no semicolon, no control character and no space at their ends, and the name no equals sign";
}

/** `later`: those after it in the same call; `there`: those that the browser has. */
export function whyDropped(cookie: Cookie, later: readonly Cookie[], there: readonly Cookie[]): string {
  const { name, domain, path } = cookie;
  if (later.some((one) => one.name === name && one.domain === domain && one.path === path))
    return "a later one of the same name, domain and path replaces it";
  const host = domain.replace(/^\./, "").toLowerCase();
  const ofSite = there.filter((one) => one.domain.replace(/^\./, "") === host).length;
  if (ofSite >= ofSiteAfter || there.length >= inAllAfter)
    return `a browser keeps at most ${ofSiteMax} cookies of a site and 3300 in all, and deletes the oldest`;
  return "its fields do not go together";
}
