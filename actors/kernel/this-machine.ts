/** Whether a host, however it is written, leads to this machine. Names are not resolved: the DNS query would bypass the proxy. */
import { open } from "node:fs/promises";
import { BlockList, isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";

/** Whether a host, as in a URL or as typed by a user, is this machine. */
export type ThisMachine = (host: string) => boolean;

/** The hosts file is read up to here; long lists of blocked names come last in it. */
const hostsBytesMax = 64 * 1024;

/** This machine, by its network addresses and hosts file at this moment. */
export async function thisMachine(): Promise<ThisMachine> {
  const addresses = Object.values(networkInterfaces()).flatMap((found) =>
    (found ?? []).map(({ address }) => address),
  );
  return machineOf({ name: hostname(), addresses, hosts: await hostsFile() });
}

/** A machine with this name, these network addresses and this hosts file. */
export function machineOf(of: { name: string; addresses: readonly string[]; hosts: string }): ThisMachine {
  const own = new BlockList();
  for (const [net, bits] of ownNets) addNet(own, net, bits);
  own.addAddress("::1", "ipv6");
  own.addSubnet("2001::", 32, "ipv6"); // Teredo: unused today, and an IPv4 address hides in it.
  for (const address of of.addresses.flatMap(canonical)) {
    if (isIP(address) === 4) addNet(own, address, 32);
    else own.addAddress(address, "ipv6");
  }
  const isOwnAddress = (host: string) => own.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
  const names = new Set(["_outbound", ...namesOf(of.name)]);
  for (const line of of.hosts.split("\n")) {
    const [address = "", ...given] = line.replace(/#.*/, "").trim().split(/\s+/);
    const [to = ""] = canonical(address);
    if (isIP(to) !== 0 && isOwnAddress(to)) for (const name of given.flatMap(canonical)) names.add(name);
  }
  return (host) =>
    canonical(host).some((it) =>
      isIP(it) === 0 ? names.has(it) || /(^|\.)localhost(\.localdomain)?$/.test(it) : isOwnAddress(it),
    );
}

/** Addresses that a system connects to itself; `0.0.0.0` works like `127.0.0.1`. */
const ownNets: readonly (readonly [net: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
];

/** IPv6 prefixes of 96 bits in front of an IPv4 address: mapped, compatible, translated, NAT64 and its local form. */
const before = ["::ffff:", "::", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"];

function addNet(list: BlockList, net: string, bits: number): void {
  list.addSubnet(net, bits, "ipv4");
  for (const prefix of before) list.addSubnet(`${prefix}${net}`, 96 + bits, "ipv6");
  const [a = 0, b = 0, c = 0, d = 0] = net.split(".").map(Number);
  const hex = (high: number, low: number) => (high * 256 + low).toString(16);
  list.addSubnet(`2002:${hex(a, b)}:${hex(c, d)}::`, 16 + bits, "ipv6"); // 6to4.
}

function namesOf(name: string): string[] {
  const [full = ""] = canonical(name);
  const [short = ""] = full.split(".");
  return [full, short, `${short}.local`];
}

/** The host as in a URL, without brackets and the final dot; empty when it is no host. */
function canonical(host: string): string[] {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}/`;
  if (!URL.canParse(url)) return [];
  return [new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "")];
}

async function hostsFile(): Promise<string> {
  const path =
    process.platform === "win32"
      ? `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\drivers\\etc\\hosts`
      : "/etc/hosts";
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(hostsBytesMax), 0, hostsBytesMax, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return ""; // Missing or unreadable.
  }
}
