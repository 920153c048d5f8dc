/** Who may use the control page: a link that works once becomes a session, which the page names in a header of each call. */
import { randomBytes } from "node:crypto";

export interface Sessions {
  /**
   * The path of a link that opens a session, once. The key stands behind the `#`: no request carries it, and so no log, no server
   * and no preview of the link learns it.
   */
  link(): string;
  /** The secret of a new session; null for a key that is unknown or has been used. */
  open(key: string): string | null;
  isOpen(secret: string): boolean;
}

/** Links that were printed and never opened; the oldest are forgotten first. */
const linksMax = 16;
/** Windows of the control page that are known at once. */
const sessionsMax = 64;

/** No cookie: a browser sends those of one port of this machine to every other. */
export const sessionHeader = "x-troupe-session";

const newSecret = () => randomBytes(32).toString("base64url");

export function createSessions(): Sessions {
  const keys = new Set<string>();
  const sessions = new Set<string>();
  return {
    link() {
      const key = newSecret();
      keys.add(key);
      dropOldest(keys, linksMax);
      return `/#key=${key}`;
    },
    open(key) {
      if (!keys.delete(key)) return null;
      const secret = newSecret();
      sessions.add(secret);
      dropOldest(sessions, sessionsMax);
      return secret;
    },
    isOpen: (secret) => sessions.has(secret),
  };
}

function dropOldest(known: Set<string>, max: number): void {
  for (const key of known) {
    if (known.size <= max) return;
    known.delete(key);
  }
}
