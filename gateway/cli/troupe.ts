#!/usr/bin/env node
/** `troupe`: the command line's grammar; what each command does stands in its own file. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { Fault, faultKinds } from "../../protocol/faults.ts";
import type { ProxyType } from "../../protocol/proxies.ts";
import type { Access } from "../../protocol/scalars.ts";
import {
  apiOff,
  apiOn,
  type CommonFlags,
  doctor,
  scriptApprove,
  scriptList,
  status,
  tokenList,
  tokenMint,
  tokenRevoke,
  uploads,
} from "./commands.ts";
import { complain, exitCodeOf, exitCodes } from "./output.ts";
import { proxyExit, proxyRotating } from "./proxy-commands.ts";
import { scriptTypes } from "./script-types.ts";
import { type ServeFlags, serve } from "./serve.ts";

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function integer(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`it must be an integer from ${least} to ${most}.`);
    }
    return value;
  };
}

function uuid(text: string): string {
  if (!uuidPattern.test(text)) throw new InvalidArgumentError("it must be a uuid; see: troupe script list");
  return text;
}

const portOption = () =>
  new Option("--port <n>", "port of the API, 0 for any free one").argParser(integer(0, 65_535));

/** Every command takes these. */
function common(command: Command): Command {
  return command
    .option("--data <dir>", "data directory (default: the platform's own)")
    .option("--json", "write one JSON line instead of text");
}

function grammar(): Command {
  const program = new Command("troupe")
    .description("Browser profiles as real Chromium processes behind a local REST API.")
    .exitOverride()
    .showHelpAfterError("(troupe --help shows what there is)");
  common(program.command("serve"))
    .description("run the service until Ctrl-C")
    .addOption(new Option("--api <state>", "switch the API on for this run").choices(["on", "off"]))
    .addOption(portOption())
    .option("--max-browsers <n>", "browsers at once (default: by plan and memory)", integer(1, 10_000))
    .option("--rate-limit <n>", "expensive calls per minute and token, 0 = off", integer(0, 1_000_000))
    .option("--mint <name>", "mint a token of this name and show it once")
    .action((flags: ServeFlags) => serve(flags));
  common(program.command("status")).description("how the running service is doing").action(status);
  const api = program.command("api").description("switch the API on or off, kept across restarts");
  common(api.command("on")).addOption(portOption()).action(apiOn);
  common(api.command("off")).action(apiOff);
  const token = program.command("token").description("the tokens that callers of the API hold");
  common(token.command("mint"))
    .argument("<name>")
    .addOption(new Option("--access <class>", "what it may call").choices(["read", "write"]).default("write"))
    .action((name: string, flags: CommonFlags & { access: Access }) => tokenMint(name, flags));
  common(token.command("list")).action(tokenList);
  common(token.command("revoke")).argument("<name>").action(tokenRevoke);
  const script = program.command("script").description("scripts and their approval");
  common(script.command("list")).action(scriptList);
  common(script.command("approve"))
    .description("approve the source as it is now")
    .argument("<id>", "the script's id", uuid)
    .action(scriptApprove);
  script
    .command("types")
    .description("print the TypeScript types that Raw scripts are written against")
    .action(scriptTypes);
  proxyGrammar(program);
  common(program.command("uploads"))
    .description("print the folder that set-file takes files from")
    .action(uploads);
  common(program.command("doctor"))
    .description("look at what the service needs of this machine")
    .action(doctor);
  return program;
}

function proxyGrammar(program: Command): void {
  const proxy = program
    .command("proxy")
    .description("rotating pools, and who is asked where a proxy comes out");
  common(proxy.command("rotating"))
    .description(
      "make a pool of one gateway; its line comes on stdin, with {session} in the user or password",
    )
    .argument("<name>")
    .addOption(
      new Option("--type <type>", "what the line is without a scheme")
        .choices(["http", "socks5", "residential"])
        .default("http"),
    )
    .action((name: string, flags: CommonFlags & { type: ProxyType }) => proxyRotating(name, flags));
  common(proxy.command("exit"))
    .description("show or change the echo services and the local geo file")
    .option("--echo-url <url...>", "services to ask, in order, in place of those there are")
    .option("--geo-file <path>", "a local file in MaxMind's format")
    .option("--no-geo-file", "use none")
    .action(proxyExit);
}

/** What is said of a failure: a fault's text with its prefix, else the message. */
function textOf(error: unknown): string {
  if (error instanceof Fault) {
    return error.kind === "internal" ? error.message : `${faultKinds[error.kind].prefix}: ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}

async function main(): Promise<void> {
  try {
    await grammar().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has said what is wrong; asking for help is no mistake.
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.wrongUsage;
      return;
    }
    complain(textOf(error));
    process.exit(exitCodeOf(error));
  }
}

await main();
