/** Sessions of the control page: a one-time link opens a session, and each call names it in a header. */
import { randomBytes } from "node:crypto";

export interface Sessions {
  /** The path of a link that opens one session. Its key is in the fragment, which no request, server log or preview gets. */
  link(): string;
  /** The secret of a new session; null for a key that is unknown or already used. */
  open(key: string): string | null;
  isOpen(secret: string): boolean;
}

const linksMax = 16;
const sessionsMax = 64;

/** Not a cookie: a browser sends the cookies of a host to all its ports. */
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
