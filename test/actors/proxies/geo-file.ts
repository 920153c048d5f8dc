/** Writes a small file in MaxMind's format (version 2.0, 24-bit records, IPv4), for look-ups without a real file. */
import { isIPv4 } from "node:net";

type Value = string | number | { [key: string]: Value } | Value[];

export function geoFile(records: Readonly<Record<string, Value>>): Buffer {
  const nodes: [Branch, Branch][] = [[null, null]];
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const [address, record] of Object.entries(records)) {
    if (!isIPv4(address)) throw new Error(`${address} is not IPv4`);
    const bits = address
      .split(".")
      .flatMap((part) => [...Number(part).toString(2).padStart(8, "0")].map(Number));
    let at = 0;
    for (const [depth, bit] of bits.entries()) {
      const node = nodes[at] ?? [null, null];
      const side = bit === 0 ? 0 : 1;
      if (depth === bits.length - 1) {
        node[side] = { data: dataBytes };
        break;
      }
      const below = node[side];
      if (below !== null && "node" in below) at = below.node;
      else {
        node[side] = { node: nodes.length };
        at = nodes.length;
        nodes.push([null, null]);
      }
    }
    const bytes = encode(record);
    data.push(bytes);
    dataBytes += bytes.length;
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: "Test-City",
    description: { en: "test" },
    ip_version: 4,
    languages: ["en"],
    node_count: nodes.length,
    record_size: 24,
  });
  const tree = Buffer.concat(nodes.flat().map((branch) => uint24(recordOf(branch, nodes.length))));
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from("\xab\xcd\xefMaxMind.com", "latin1"),
    metadata,
  ]);
}

type Branch = { node: number } | { data: number } | null;

/** A record of the tree: another node, the node count for "no record", or above it a position in the data. */
function recordOf(branch: Branch, nodeCount: number): number {
  if (branch === null) return nodeCount;
  return "node" in branch ? branch.node : nodeCount + 16 + branch.data;
}

function uint24(value: number): Buffer {
  return Buffer.from([(value >> 16) & 255, (value >> 8) & 255, value & 255]);
}

function encode(value: Value): Buffer {
  if (typeof value === "string")
    return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([
    control(7, entries.length),
    ...entries.flatMap(([key, one]) => [encode(key), encode(one)]),
  ]);
}

/** Types above 7 are written as extended; sizes here stay below 29 + 256. */
function control(type: number, size: number): Buffer {
  const small = Math.min(size, 29);
  const head = type > 7 ? [small, type - 7] : [(type << 5) | small];
  return Buffer.from(size < 29 ? head : [...head, size - 29]);
}
