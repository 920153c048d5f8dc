/** What a browser's processes weigh, by their kind. */
import { readFile } from "node:fs/promises";
import { processTrees, sharedMemory } from "../../actors/kernel/process-load.ts";
import { median, table } from "../table.ts";

/** Bytes by kind of process, each shared page by its share. */
export type Breakdown = Record<string, number>;

const mb = 1024 ** 2;

export async function breakdownOf(pid: number): Promise<Breakdown> {
  const found: Breakdown = {};
  for (const one of (await processTrees([pid]))?.get(pid) ?? []) {
    const line = await readFile(`/proc/${one.pid}/cmdline`, "utf8").catch(() => "");
    const kind = /--type=([\w-]+)/.exec(line)?.[1] ?? (/crashpad/.test(line) ? "crashpad" : "browser");
    found[kind] = (found[kind] ?? 0) + (await sharedMemory([one]));
  }
  return found;
}

export const totalOf = (weights: Breakdown) => Object.values(weights).reduce((sum, bytes) => sum + bytes, 0);

/** Medians in MB. */
export function breakdownTable(contestants: readonly (readonly [string, readonly Breakdown[]])[]): string {
  const kinds = [...new Set(contestants.flatMap(([, list]) => list.flatMap((one) => Object.keys(one))))];
  const cell = (bytes: number[]) => (median(bytes) / mb).toFixed(1);
  return table([
    ["MB of one browser", "all", ...kinds],
    ...contestants.map(([name, list]) => [
      name,
      cell(list.map(totalOf)),
      ...kinds.map((kind) => cell(list.map((one) => one[kind] ?? 0))),
    ]),
  ]);
}
