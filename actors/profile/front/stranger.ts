/** Who may ask at the debugging address: programs of this machine, and no page of any browser, whatever its address is called. */
import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "../../../protocol/loopback-host.ts";

/**
 * Whether this request is to be refused. Browsers say for a page where a request comes from, and a page on this very address is a page
 * too. Other `Sec-Fetch-*` headers prove nothing: Node's own fetch sends one.
 */
export function isStranger({ headers, rawHeaders }: IncomingMessage, port: number): boolean {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts !== 1 || !isLoopbackHost(headers.host, port)) return true;
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && !origin.startsWith("devtools://")) return true;
  return site !== undefined && site !== "none";
}
