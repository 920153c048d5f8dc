/** Runs `troupe` commands in the test's process, one at a time, because a process per command is slow. */
import { runTroupe } from "../../gateway/cli/grammar.ts";
import { streams } from "../../gateway/cli/output.ts";
import type { Ended } from "./serve.ts";

export const command = (...args: string[]): Promise<Ended> => run(args, false);

/** The same with a terminal as output. */
export const inTerminal = (...args: string[]): Promise<Ended> => run(args, true);

async function run(args: string[], isTTY: boolean): Promise<Ended> {
  const before = { ...streams };
  let stdout = "";
  let stderr = "";
  streams.out = {
    isTTY,
    write: (text: string | Uint8Array) => {
      stdout += text;
      return true;
    },
  };
  streams.err = {
    write: (text: string | Uint8Array) => {
      stderr += text;
      return true;
    },
  };
  try {
    return { code: await runTroupe(args), stdout, stderr };
  } finally {
    Object.assign(streams, before);
  }
}

/** The parsed `--json` output of a command. Throws when the command fails. */
export async function reply<Body>(...args: string[]): Promise<Body> {
  const { code, stdout, stderr } = await command(...args, "--json");
  if (code !== 0) throw new Error(`troupe ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
