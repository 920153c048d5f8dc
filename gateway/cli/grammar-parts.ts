/** What the parts of the grammar share. */
import type { Command } from "commander";
import { WrongUsage } from "./output.ts";

/** An empty path, as of an unset variable, would be the working directory. Throws `WrongUsage`. */
export function dataDirGiven(path: string): string {
  if (path !== "") return path;
  throw new WrongUsage("--data is empty; name a directory, or leave the option out");
}

export function common(command: Command): Command {
  return command
    .option("--data <dir>", "data directory (default: the platform's usual one)", dataDirGiven)
    .option("--json", "write one JSON line instead of text");
}

export interface Outcome {
  code: number;
}

/** `troupe --data DIR` is `troupe` on another data directory. */
export function onlyData(args: readonly string[]): string | null {
  const [first = "", second] = args;
  if (args.length === 2 && first === "--data") return second === undefined ? null : dataDirGiven(second);
  return args.length === 1 && first.startsWith("--data=")
    ? dataDirGiven(first.slice("--data=".length))
    : null;
}
