/**
 * What is this machine: the one place that decides whether a name or an address, however it is written, leads back to it. What a name
 * server says of a name is not asked: the question would go past the profile's proxy.
 */
import { open } from "node:fs/promises";
import { BlockList, isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";

/** Whether this host, as a URL has it or as somebody writes it, is this machine. */
export type ThisMachine = (host: string) => boolean;

/** Of the hosts file; lists of names against advertising may be megabytes, and come last. */
const hostsBytesMax = 64 * 1024;

/** This machine, as its networks and its hosts file are now. */
export async function thisMachine(): Promise<ThisMachine> {
  const addresses = Object.values(networkInterfaces()).flatMap((found) =>
    (found ?? []).map(({ address }) => address),
  );
  return machineOf({ name: hostname(), addresses, hosts: await hostsFile() });
}

/** A machine of this name, with these addresses of its networks and this hosts file. */
export function machineOf(of: { name: string; addresses: readonly string[]; hosts: string }): ThisMachine {
  const own = new BlockList();
  for (const [net, bits] of ownNets) addNet(own, net, bits);
  own.addAddress("::1", "ipv6");
  own.addSubnet("2001::", 32, "ipv6"); // Teredo, which nobody uses and which hides an IPv4 address.
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

/** What a system connects to itself: `0.0.0.0` means the same as `127.0.0.1`. */
const ownNets: readonly (readonly [net: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
];

/** Prefixes of 96 bits before an IPv4 address: mapped, compatible, translated, NAT64 and its local form. */
const before = ["::ffff:", "::", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"];

/** An IPv4 net in each spelling that IPv6 has for it. */
function addNet(list: BlockList, net: string, bits: number): void {
  list.addSubnet(net, bits, "ipv4");
  for (const prefix of before) list.addSubnet(`${prefix}${net}`, 96 + bits, "ipv6");
  const [a = 0, b = 0, c = 0, d = 0] = net.split(".").map(Number);
  const hex = (high: number, low: number) => (high * 256 + low).toString(16);
  list.addSubnet(`2002:${hex(a, b)}:${hex(c, d)}::`, 16 + bits, "ipv6"); // 6to4.
}

/** The machine's own name as it stands, without its domain, and as its neighbours know it. */
function namesOf(name: string): string[] {
  const [full = ""] = canonical(name);
  const [short = ""] = full.split(".");
  return [full, short, `${short}.local`];
}

/** As a URL's host, without brackets and the dot of the root; nothing when it cannot be one. */
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
    return ""; // None, or not ours to read.
  }
}
