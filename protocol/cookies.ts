/** A browser's cookie, in the form that Playwright reads and writes. */
import type { tags } from "typia";

export interface Cookie {
  name: string;
  value: string;
  /** With a dot in front for its subdomains too. */
  domain: string & tags.MinLength<1>;
  path: string & tags.MinLength<1>;
  /** Seconds since 1970; -1: until the browser closes. */
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  /** Absent: the site did not say. */
  sameSite?: "Strict" | "Lax" | "None";
  /** Of a partitioned cookie. */
  partitionKey?: { topLevelSite: string; hasCrossSiteAncestor: boolean };
}

/** A cookie that was not taken; `index` counts from 0. */
export interface RefusedCookie {
  index: number;
  error: string;
}
