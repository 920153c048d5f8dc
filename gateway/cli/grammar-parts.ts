/** What the parts of the grammar share. */
import type { Command } from "commander";

export function common(command: Command): Command {
  return command
    .option("--data <dir>", "data directory (default: the platform's usual one)")
    .option("--json", "write one JSON line instead of text");
}

export interface Outcome {
  code: number;
}

/** `troupe --data DIR` is `troupe` on another data directory. */
export function onlyData(args: readonly string[]): string | null {
  const [first = "", second] = args;
  if (args.length === 2 && first === "--data") return second ?? null;
  return args.length === 1 && first.startsWith("--data=") ? first.slice("--data=".length) : null;
}
