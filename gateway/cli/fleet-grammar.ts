/** The grammar of `troupe fleet` and `troupe worker`, whose actions are bundles of their own: few commands need PostgreSQL's client. */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { systemFault } from "../../protocol/disk-fault.ts";
import type { FleetOnFlags } from "../fleet/commands.ts";
import type { WorkerFlags } from "../fleet/guard.ts";
import type { CommonFlags } from "./commands.ts";
import { common, type Outcome } from "./grammar-parts.ts";

const bundle = (source: string, built: string): string =>
  new URL(import.meta.url.endsWith(".ts") ? source : built, import.meta.url).href;
const commands = (): Promise<typeof import("../fleet/commands.ts")> =>
  import(bundle("../fleet/commands.ts", "./fleet.js"));
const guard = (): Promise<typeof import("../fleet/guard.ts")> =>
  import(bundle("../fleet/guard.ts", "./guard.js"));

const labelHelp =
  "profiles without a proxy stay on machines of one label, whose network and graphics they show";

export function fleetGrammar(program: Command, outcome: Outcome, browsers: (text: string) => number): void {
  const fleet = program.command("fleet").description("several machines that run one service's batches");
  common(fleet.command("on"))
    .description("begin a fleet: this service has its profiles and runs, other machines run the parts")
    .requiredOption("--postgres <uri>", "PostgreSQL's database, such as postgres://user:password@host/troupe")
    .requiredOption(
      "--archives <uri>",
      "where profiles travel: dir:/path, a directory that all machines mount, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME",
    )
    .option("--label <label>", labelHelp)
    .action(async (flags: FleetOnFlags) => {
      outcome.code = await (await commands()).fleetOn(flags);
    });
  common(fleet.command("token"))
    .description(
      "print the token that other machines join with; it contains the fleet's key and the database's password",
    )
    .summary("print the token that other machines join with")
    .action(async (flags: CommonFlags) => {
      outcome.code = await (await commands()).fleetToken(flags);
    });
  common(fleet.command("status"))
    .description("show the machines, what each runs, what waits and why")
    .action(async (flags: CommonFlags) => {
      outcome.code = await (await commands()).fleetStatus(flags);
    });
  common(fleet.command("drain"))
    .description("let a machine claim nothing more; what it runs goes on")
    .argument("<name>", "the worker's name")
    .option("--off", "let it claim again")
    .action(async (name: string, flags: CommonFlags & { off?: boolean }) => {
      outcome.code = await (await commands()).fleetDrain(name, flags);
    });
  common(fleet.command("off"))
    .description(
      "end the fleet: fetches its profiles and removes its tables; on a worker's machine: leave the fleet",
    )
    .summary("end the fleet, or on a worker leave it")
    .option("--drain", "wait for the runs that are in the fleet; new ones stay on this machine")
    .action(async (flags: CommonFlags & { drain?: boolean }) => {
      outcome.code = await (await commands()).fleetOff(flags);
    });
  common(program.command("worker"))
    .description("run this machine as a worker of a fleet until Ctrl-C")
    .option("--join <token>", "the fleet's token, @FILE or - for stdin; needed once")
    .option("--name <name>", "its name in the fleet (default: the machine's)")
    .option("--label <label>", labelHelp)
    .option("--max-browsers <n>", "limit of browsers (default: by plan and memory)", browsers)
    .action(async (flags: WorkerFlags) => {
      const token = flags.join === undefined ? null : await tokenIn(flags.join);
      outcome.code = await (await guard()).runWorker(flags, token);
    });
}

async function tokenIn(given: string): Promise<string> {
  if (given === "-") return (await text(process.stdin)).trim();
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw systemFault(error, file);
  }
}
