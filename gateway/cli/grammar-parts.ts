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
