/** Who may use the control page: a link that works once becomes a session, and each write carries the session's token. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface Session {
  /** What every write repeats in the header `x-troupe-csrf`: another origin can send the cookie, but cannot read this. */
  csrf: string;
}

export interface Sessions {
  /** The path of a link that opens a session, once. */
  link(): string;
  /** The value of the Set-Cookie header; null for a key that is unknown or has been used. */
  open(key: string, port: number): string | null;
  /** The session whose cookie the request carries. */
  of(request: IncomingMessage, port: number): Session | null;
  /** Whether a write of this session carries its token. */
  isOwn(request: IncomingMessage, session: Session): boolean;
}

/** Links that were printed and never opened; the oldest are forgotten first. */
const linksMax = 16;
/** Windows of the control page that are known at once. */
const sessionsMax = 64;

const secret = () => randomBytes(32).toString("base64url");

/** Cookies know no ports: two services on one machine must not overwrite each other's. */
const cookieName = (port: number) => `troupe_${port}`;

export function createSessions(): Sessions {
  const keys = new Set<string>();
  const sessions = new Map<string, Session>();
  return {
    link() {
      const key = secret();
      keys.add(key);
      dropOldest(keys, linksMax);
      return `/open?key=${key}`;
    },
    open(key, port) {
      if (!keys.delete(key)) return null;
      const id = secret();
      sessions.set(id, { csrf: secret() });
      dropOldest(sessions, sessionsMax);
      return `${cookieName(port)}=${id}; Path=/; HttpOnly; SameSite=Strict`;
    },
    of(request, port) {
      const prefix = `${cookieName(port)}=`;
      const cookies = request.headers.cookie?.split(/;\s*/) ?? [];
      const id = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
      return id === undefined ? null : (sessions.get(id) ?? null);
    },
    isOwn(request, session) {
      const given = Buffer.from(String(request.headers["x-troupe-csrf"] ?? ""));
      const wanted = Buffer.from(session.csrf);
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
  };
}

function dropOldest(known: Set<string> | Map<string, unknown>, max: number): void {
  for (const key of known.keys()) {
    if (known.size <= max) return;
    known.delete(key);
  }
}
