/** A browser's cookie, in the form that Playwright reads and writes. */
import type { tags } from "typia";

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

/** `index` counts from 0. */
export interface RefusedCookie {
  index: number;
  error: string;
}
