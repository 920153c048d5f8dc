/** Hosts that the browser calls of its own accord and no page needs: the bridge refuses them, as a proxy's bandwidth is paid for. */
const refusedHosts: readonly (readonly [host: string, why: string])[] = [
  ["update.googleapis.com", "updates of the browser and its components"],
];

const refused: ReadonlySet<string> = new Set(refusedHosts.map(([host]) => host));

/** Whether a request to this host is the browser's own and goes nowhere. */
export function isBackgroundHost(hostname: string): boolean {
  return refused.has(hostname.toLowerCase().replace(/\.$/, ""));
}
