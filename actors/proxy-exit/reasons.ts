/** Why a proxy failed, in one sentence, shared by measurements, launches and pages. Never contains a password. */
import { addressOf, type ProxyUpstream } from "../../protocol/proxies.ts";

export type ProxyTrouble =
  | { kind: "name-not-found" }
  | { kind: "refused" }
  | { kind: "unreachable"; code: string }
  | { kind: "not-accepted"; ms: number }
  | { kind: "silent"; ms: number }
  | { kind: "wrong-password" }
  | { kind: "closed" }
  | { kind: "not-its-language" }
  /** The proxy works, and says why it could not reach the site. */
  | { kind: "site"; site: string; why: string }
  | { kind: "bridge-ended" };

/** A sentence for the user; it begins with "the proxy" and its address. */
export function troubleWords(upstream: ProxyUpstream, trouble: ProxyTrouble): string {
  const proxy = `the proxy ${addressOf(upstream)}`;
  switch (trouble.kind) {
    case "name-not-found":
      return `${proxy} is dead: its host name was not found`;
    case "refused":
      return `${proxy} is dead: it refuses connections`;
    case "unreachable":
      return `${proxy} is dead: it cannot be reached (${trouble.code})`;
    case "not-accepted":
      return `${proxy} is dead or too slow: it accepted no connection within ${trouble.ms} ms`;
    case "silent":
      return `${proxy} is too slow: it accepted the connection and did not answer within ${trouble.ms} ms`;
    case "wrong-password":
      return upstream.username === null
        ? `${proxy} asks for a user name and password, and none is set`
        : `${proxy} refused the user name or password`;
    case "closed":
      return `${proxy} closed the connection without an answer`;
    case "not-its-language":
      return `${proxy} does not answer as ${upstream.type === "socks5" ? "a SOCKS5" : "an HTTP"} proxy does`;
    case "site":
      return `${proxy} did not reach ${trouble.site}: ${trouble.why}`;
    case "bridge-ended":
      return `the connection to ${proxy} has failed inside Troupe; stop and launch the profile`;
  }
}

export class ProxyError extends Error {
  readonly trouble: ProxyTrouble;
  constructor(trouble: ProxyTrouble) {
    super(trouble.kind);
    this.name = "ProxyError";
    this.trouble = trouble;
  }
}

export function connectTrouble(error: unknown): ProxyTrouble {
  const code = codeOf(error) ?? "no reason given";
  if (["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"].includes(code))
    return { kind: "name-not-found" };
  if (code === "ECONNREFUSED") return { kind: "refused" };
  return { kind: "unreachable", code };
}

/** The system's error code; for several addresses, the first one's. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null;
}
