/** Resolves proxies' host names without waiting for slow system look-ups. */
import { promises as dns, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Asks the name server directly. getaddrinfo uses few libuv threads, and unknown names block them, so that working proxies would time
 * out.
 */
const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });

/** Ask the system too, because of its hosts file, but wait no longer than this. */
const systemTimeoutMs = 1_500;

const underWay = new Map<string, Promise<LookupAddress[]>>();

/** For `net.connect`. Fails with system codes (`ENOTFOUND`). */
export const lookUpHost: LookupFunction = (name, { all }, callback) => {
  addressesOf(name.toLowerCase()).then(
    (addresses) => {
      const [first] = addresses;
      if (all === true) callback(null, addresses);
      else if (first !== undefined) callback(null, first.address, first.family);
    },
    (error: NodeJS.ErrnoException) => callback(error, []),
  );
};

function addressesOf(name: string): Promise<LookupAddress[]> {
  const known = underWay.get(name);
  if (known !== undefined) return known;
  const asking = find(name).finally(() => underWay.delete(name));
  underWay.set(name, asking);
  return asking;
}

async function find(name: string): Promise<LookupAddress[]> {
  // Only the system knows names of this machine or local network.
  if (!name.includes(".") || /\.(local|localhost|internal|lan|home\.arpa)$/.test(name)) return bySystem(name);
  const found = await byNameServer(name);
  if (found.length > 0) return found;
  const late = AbortSignal.timeout(systemTimeoutMs);
  return Promise.race([
    bySystem(name),
    new Promise<never>((_resolve, reject) => {
      const error = Object.assign(new Error(`${name} was not found`), { code: "ENOTFOUND" });
      late.addEventListener("abort", () => reject(error), { once: true });
    }),
  ]);
}

function bySystem(name: string): Promise<LookupAddress[]> {
  return dns.lookup(name, { all: true });
}

async function byNameServer(name: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const of = (asked: typeof four, family: 4 | 6) =>
    asked.status === "fulfilled" ? asked.value.map((address) => ({ address, family })) : [];
  return [...of(four, 4), ...of(six, 6)];
}
