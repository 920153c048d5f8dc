/** Access to the debugging address: local programs, but no page of any browser. */
import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "../../../protocol/loopback-host.ts";

/** Whether to refuse a request: it comes from a page. Other `Sec-Fetch-*` headers prove nothing: Node's fetch sends one. */
export function isStranger({ headers, rawHeaders }: IncomingMessage, port: number): boolean {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts !== 1 || !isLoopbackHost(headers.host, port)) return true;
  const { origin, "sec-fetch-site": site, "sec-purpose": purpose } = headers;
  if (purpose !== undefined) return true; // A browser loads ahead, for a page.
  if (origin !== undefined && !origin.startsWith("devtools://")) return true;
  return site !== undefined && site !== "none";
}
