/** Finds the addresses of proxies' host names without the queue that the system's own look-ups stand in. */
import { promises as dns, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * libuv gives the system's look-ups (getaddrinfo) two threads in the whole process, and a name that is not there takes one for
 * a second or more: with a third of 200 names dead, proxies that were alive ran out of time behind them. Questions to the name
 * server itself need no thread.
 */
const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });

/** The system is asked as well when the name server knows nothing: its hosts file may. It is not waited for any longer. */
const systemTimeoutMs = 1_500;

/** By name: those who ask while an answer is on its way share it. */
const underWay = new Map<string, Promise<LookupAddress[]>>();

/** For `net.connect`. Fails with the system's codes (`ENOTFOUND`). */
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
  // Names that only this machine or its network knows are the system's.
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

/** Empty when it knows none, or does not answer. */
async function byNameServer(name: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const of = (asked: typeof four, family: 4 | 6) =>
    asked.status === "fulfilled" ? asked.value.map((address) => ({ address, family })) : [];
  return [...of(four, 4), ...of(six, 6)];
}
