/**
 * What this machine is called besides `localhost`: its own name, its networks' addresses, and the names that its hosts file gives
 * them. What a name server says of other names is not asked: the question would go past the profile's proxy.
 */
import { open } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";

/** Of the hosts file; lists of names against advertising may be megabytes, and come last. */
const bytesMax = 64 * 1024;

/** Names and addresses as `URL.hostname` has them: in lower case, IPv6 in brackets. */
export async function ownNames(): Promise<ReadonlySet<string>> {
  const addresses = Object.values(networkInterfaces()).flatMap((found) =>
    (found ?? []).map(({ address }) => address),
  );
  return namesAmong(await hostsFile(), hostname(), addresses);
}

/** The machine's name, its addresses, and the names of a hosts file that lead to one of them or to a loopback address. */
export function namesAmong(hosts: string, name: string, addresses: readonly string[]): Set<string> {
  const own = new Set([name, ...addresses].flatMap(canonical));
  for (const line of hosts.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const [to = ""] = canonical(address);
    if (own.has(to) || /^(127\.|\[::1\]$|\[::\]$|\[::ffff:7f|0\.0\.0\.0$)/.test(to))
      for (const known of names.flatMap(canonical)) own.add(known);
  }
  return own;
}

/** As a URL's host; nothing when it cannot be one. */
function canonical(name: string): string[] {
  const url = `http://${name.includes(":") ? `[${name}]` : name}/`;
  return name !== "" && URL.canParse(url) ? [new URL(url).hostname.replace(/\.$/, "")] : [];
}

async function hostsFile(): Promise<string> {
  const path =
    process.platform === "win32"
      ? `${process.env.SystemRoot ?? "C:\\Windows"}\\System32\\drivers\\etc\\hosts`
      : "/etc/hosts";
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return ""; // None, or not ours to read.
  }
}
