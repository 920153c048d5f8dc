/** Whether a request is addressed to this machine: a page that rebinds its name to loopback sends its own Host. */

const names = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** gateway/README.md, "Order of checks" 1: a loopback name, with our port or none. */
export function isLoopbackHost(host: string | undefined, port: number): boolean {
  if (host === undefined) return false;
  const at = host.startsWith("[") ? host.indexOf(":", host.indexOf("]")) : host.indexOf(":");
  const name = at < 0 ? host : host.slice(0, at);
  const named = names.has(name.toLowerCase());
  return named && (at < 0 || host.slice(at + 1) === String(port));
}
