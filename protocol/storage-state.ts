/** Playwright's storage state: cookies, and what sites store in a profile (protocol/README.md, "Cookies"). */
import type { tags } from "typia";
import type { RefusedCookie } from "./cookies.ts";
import type { Count, Text } from "./scalars.ts";

/** A site's storage, as Playwright writes it; it may have more fields, such as `indexedDB`. */
export interface OriginState {
  origin: Text;
  localStorage: { name: string; value: string }[];
  indexedDB?: unknown[];
}

/** As of `browserContext.storageState({ indexedDB: true })`. */
export interface StorageStateBody {
  cookies: unknown[] & tags.MaxItems<100000>;
  origins: OriginState[] & tags.MaxItems<1000>;
}

export interface StorageState {
  cookies: unknown[];
  origins: OriginState[];
}

export interface StorageStateReply {
  /** How many cookies are there now. */
  taken: Count;
  /** In the order given; none of them is there. */
  refused: RefusedCookie[];
  /** How many sites' storage was written. */
  origins: Count;
}

export interface StorageStateShapes {
  StorageStateBody: StorageStateBody;
}
