/** The Host check: a page that rebinds its name to loopback still sends its own Host. */

/** gateway/README.md, "Order of checks" 1: a loopback name, with our port or none. */
export function isLoopbackHost(host: string | undefined, port: number): boolean {
  const found = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(.*))?$/i.exec(host ?? "");
  return found !== null && (found[1] ?? String(port)) === String(port);
}
