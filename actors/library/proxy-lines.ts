/** Parses proxy lines in the four forms of protocol/README.md, "Proxies". Messages never contain a password. Pure. */
import type { BadProxyLine, ProxyType, ProxyUpstream } from "../../protocol/proxies.ts";

const forms =
  "expected host:port, host:port:user:password, user:password@host:port or scheme://[user:password@]host:port";

/** A line's scheme overrides the pool's type. socks5h equals socks5, because the proxy resolves names anyway. */
const typesByScheme: Record<string, ProxyType> = {
  http: "http",
  socks5: "socks5",
  socks5h: "socks5",
  residential: "residential",
};

/** RFC 1929: the length is one byte. */
const socksCredentialBytesMax = 255;

/** The message must not contain parts of the line that may be secret. */
class BadLine extends Error {}

export interface ReadLines {
  proxies: ProxyUpstream[];
  badLines: BadProxyLine[];
}

/** Skips comments and blank lines. `type` applies to lines without a scheme. */
export function readProxyLines(lines: readonly string[], type: ProxyType): ReadLines {
  const read: ReadLines = { proxies: [], badLines: [] };
  for (const [index, line] of lines.entries()) {
    try {
      const proxy = readProxyLine(line, type);
      if (proxy !== null) read.proxies.push(proxy);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      read.badLines.push({ line: index + 1, error: error.message });
    }
  }
  return read;
}

function readProxyLine(line: string, type: ProxyType): ProxyUpstream | null {
  // Removes trailing comments too. Safe, because no form contains white space.
  const bare = line.replace(/(^|\s)#[^\n\r]*$/, "").trim();
  if (bare === "") return null;
  if (/[\s\p{Cc}]/u.test(bare)) throw new BadLine(`it contains white space; ${forms}`);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(bare);
  const proxy = scheme === null ? bareLine(bare, type) : urlLine(scheme[1] ?? "", scheme[2] ?? "");
  if (proxy.type === "socks5") checkSocksCredentials(proxy);
  return proxy;
}

function urlLine(scheme: string, rest: string): ProxyUpstream {
  const type = typesByScheme[scheme.toLowerCase()];
  if (type === undefined) {
    throw new BadLine(`the scheme must be one of ${Object.keys(typesByScheme).join(", ")}`);
  }
  const at = rest.lastIndexOf("@");
  const address = addressOf(rest.slice(at + 1).replace(/\/$/, ""));
  if (at < 0) return { type, ...address, username: null, password: null };
  const { username, password } = credentialsOf(rest.slice(0, at));
  return { type, ...address, username: decoded(username), password: decoded(password) };
}

function bareLine(line: string, type: ProxyType): ProxyUpstream {
  const [, host = "", port = "", username, password] =
    /^(\[[^\]]*\]|[^:@]*):(\d+)(?::([^:]*):(.*))?$/s.exec(line) ?? [];
  const at = line.lastIndexOf("@");
  // A line with @ can be ambiguous: `user:1234:x@host:80`. The address comes first only if the first part can be nothing else.
  const addressFirst = port !== "" && (at < 0 || /[.\]]|^localhost$/i.test(host));
  if (addressFirst) {
    const address = addressOf(`${host}:${port}`);
    return { type, ...address, username: username ?? null, password: password ?? null };
  }
  if (at < 0) return { type, ...addressOf(line), username: null, password: null };
  return { type, ...addressOf(line.slice(at + 1)), ...credentialsOf(line.slice(0, at)) };
}

function credentialsOf(text: string): { username: string; password: string } {
  const colon = text.indexOf(":");
  if (colon < 0) return { username: text, password: "" };
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Percent-decodes as in a URL; invalid encoding is taken literally. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function addressOf(text: string): { host: string; port: number } {
  const parts = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  if (parts === null) throw new BadLine(forms);
  const [, ipv6, name = "", digits] = parts;
  const port = Number(digits);
  // Do not show the number: in a line of another form it may be a password.
  if (port < 1 || port > 65_535) throw new BadLine("the port must be an integer from 1 to 65535");
  if (ipv6 === undefined ? !isHostName(name) : !isIpv6(ipv6)) {
    throw new BadLine(`the host is neither a name nor an address; ${forms}`);
  }
  return { host: ipv6 ?? name, port };
}

function isHostName(name: string): boolean {
  if (/^[\d.]+$/.test(name)) return isIpv4(name);
  const labels = name.replace(/\.$/, "").split(".");
  return (
    name.length <= 253 &&
    labels.every((label) => /^[\p{L}\p{N}_]([\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?$/u.test(label))
  );
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]/`);
}

function checkSocksCredentials({ username, password }: ProxyUpstream): void {
  for (const [name, value] of Object.entries({ user: username, password })) {
    if (value !== null && new TextEncoder().encode(value).length > socksCredentialBytesMax) {
      throw new BadLine(`a SOCKS5 ${name} may have at most ${socksCredentialBytesMax} bytes`);
    }
  }
  if (username === "") throw new BadLine("a SOCKS5 user must not be empty");
}
