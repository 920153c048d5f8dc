/** A browser's cookie, in the form that Playwright reads and writes. */
import type { tags } from "typia";
import type { Count, Text } from "./scalars.ts";

export interface Cookie {
  name: string;
  value: string;
  /** A leading dot includes the subdomains. */
  domain: string & tags.MinLength<1>;
  path: string & tags.MinLength<1>;
  /** Unix seconds; -1 for a session cookie. */
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  partitionKey?: { topLevelSite: string; hasCrossSiteAncestor: boolean };
}

/** Whether a cookie belongs to a host or to one below it. */
export function isOf({ domain }: Pick<Cookie, "domain">, host: string): boolean {
  const [of, wanted] = [domain, host].map((name) => name.replace(/^\./, "").toLowerCase());
  return of === wanted || of?.endsWith(`.${wanted}`) === true;
}

export interface CookiesQuery {
  /** Only those of this host and its subdomains. */
  domain?: Text;
  /** netscape: the text of a cookies.txt. Default json. */
  format?: "json" | "netscape";
}

export interface DeleteCookiesQuery {
  /** Only those of this host and its subdomains. */
  domain?: Text;
}

/** Over REST the body may also be the array alone, or a `cookies.txt` as text/plain. */
export interface CookiesBody {
  /** As Playwright, Puppeteer or EditThisCookie write them. */
  cookies?: unknown[] & tags.MaxItems<100000> & tags.JsonSchemaPlugin<{ writeOnly: true }>;
  /** The text of a Netscape cookies.txt, in place of `cookies`. */
  text?: string & tags.JsonSchemaPlugin<{ writeOnly: true }>;
}

export interface CookiesReply {
  /** How many are there now. */
  taken: Count;
  /** In the order given; none of them is there. */
  refused: RefusedCookie[];
}

export interface CookieShapes {
  CookiesQuery: CookiesQuery;
  DeleteCookiesQuery: DeleteCookiesQuery;
  CookiesBody: CookiesBody;
}

/** `index` counts from 0. */
export interface RefusedCookie {
  index: number;
  error: string;
}
