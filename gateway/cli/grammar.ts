/** The command line's grammar; each command's action is in its own file. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { forTerminal } from "../../protocol/clean-text.ts";
import type { ProxyType } from "../../protocol/proxies.ts";
import type { Access } from "../../protocol/scalars.ts";
import { startFailures } from "../start-failures.ts";
import { packageVersion } from "../version.ts";
import { backup, restore } from "./backup-commands.ts";
import {
  apiOff,
  apiOn,
  type CommonFlags,
  doctor,
  scriptApprove,
  status,
  tokenList,
  tokenMint,
  tokenRevoke,
  uploads,
} from "./commands.ts";
import { completionScript, type Shell, shells } from "./completion.ts";
import { extensionAdd, extensionList, extensionRemove } from "./extension-commands.ts";
import { firstGrammar, serviceGrammar } from "./first-grammar.ts";
import { start } from "./first-start.ts";
import { fleetGrammar } from "./fleet-grammar.ts";
import { common, type Outcome, onlyData } from "./grammar-parts.ts";
import { describedBy } from "./ids-by-name.ts";
import { bridgeMcp, type McpFlags } from "./mcp-bridge.ts";
import { open } from "./open-window.ts";
import { exitCodes, failed, say, streams } from "./output.ts";
import { proxyExit, proxyRotating } from "./proxy-commands.ts";
import { addRouteCommands, apiFlags } from "./route-commands.ts";
import { type RunFlags, runFile } from "./run-command.ts";
import { scriptTypes } from "./script-types.ts";
import type { ServeFlags } from "./serve.ts";
import { settings } from "./settings-command.ts";
import { type TraceFlags, trace } from "./trace-command.ts";

function integer(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`it must be an integer from ${least} to ${most}.`);
    }
    return value;
  };
}

const portOption = () =>
  new Option("--port <n>", "port of the API, 0 for any free one").argParser(integer(0, 65_535));

export function grammar(outcome: Outcome = { code: exitCodes.ok }): Command {
  const program = new Command("troupe")
    .description(
      "Browser profiles as real Chromium processes behind a local REST API.\nWithout a command it starts the service and opens its control page; troupe demo shows it at work.",
    )
    .version(packageVersion() ?? "unknown", "--version", "print the version")
    .configureOutput({
      writeOut: (text) => streams.out.write(text),
      writeErr: (text) => streams.err.write(forTerminal(text)),
      outputError: (text, writeErr) => writeErr(misplaced(text)),
    })
    .exitOverride();
  serveGrammar(program, outcome);
  common(program.command("status")).description("show the state of the running service").action(status);
  common(program.command("open"))
    .description("print a link to the control page, valid once, and show its window if there is a display")
    .option("--no-window", "print the link only")
    .action(open);
  switchGrammar(program);
  runGrammar(program, outcome);
  const groups = addRouteCommands(program);
  const scripts = groups.get("scripts");
  if (scripts !== undefined) scriptGrammar(scripts);
  const service = groups.get("service");
  if (service !== undefined) serviceGrammar(service);
  const proxies = groups.get("proxies");
  if (proxies !== undefined) proxyGrammar(proxies);
  extensionGrammar(program);
  backupGrammar(program);
  firstGrammar(program, outcome);
  fleetGrammar(program, outcome, integer(1, 10_000));
  machineGrammar(program, outcome);
  nameHelp(program, "troupe");
  return program;
}

/** A usage error of a command names that command's help. */
function nameHelp(command: Command, words: string): void {
  command.showHelpAfterError(`(see: ${words} --help)`);
  for (const below of command.commands) nameHelp(below, `${words} ${below.name()}`);
}

/** Options belong to commands: `troupe` itself has none but `--help` and `--version`. */
function misplaced(text: string): string {
  return /unknown option '--(data|json|api-url)(=.*)?'/.test(text)
    ? text.replace(/\n/, "; it belongs after a command that takes it, as in: troupe status --data DIR\n")
    : text;
}

function serveGrammar(program: Command, outcome: Outcome): void {
  common(program.command("serve"))
    .description("run the service until Ctrl-C")
    .addOption(
      new Option("--api <state>", "switch the API on while this service runs").choices(["on", "off"]),
    )
    .addOption(portOption())
    .option("--max-browsers <n>", "limit of browsers (default: by plan and memory)", integer(1, 10_000))
    .option("--rate-limit <n>", "expensive calls per minute and token, 0 = off", integer(0, 1_000_000))
    .option("--mint <name>", "mint a token of this name and show it once")
    .option("--window", "open the control page's window if there is a display; it closes with the service")
    .option("--no-window", "do not open the window (npm start opens it)")
    .addHelpText("after", startFailuresHelp())
    .action(async (flags: ServeFlags) => {
      outcome.code = await serve(flags);
    });
}

/** In a bundle of its own, because the service takes longer to load than most commands run. */
async function serve(flags: ServeFlags): Promise<number> {
  const path = import.meta.url.endsWith(".ts") ? "./serve.ts" : "./serve.js";
  const module: typeof import("./serve.ts") = await import(new URL(path, import.meta.url).href);
  return module.serve(flags);
}

function startFailuresHelp(): string {
  const lines = Object.values(startFailures).map(
    ({ exit, when }) => `  ${String(exit).padStart(2)}  ${when}`,
  );
  return ["", "Exit codes of a start that fails (1: anything else, 2: wrong usage):", ...lines].join("\n");
}

function switchGrammar(program: Command): void {
  const api = program.command("api").description("switch the API on or off, kept across restarts");
  common(api.command("on")).description("switch the API on").addOption(portOption()).action(apiOn);
  common(api.command("off")).description("switch the API off").action(apiOff);
  const token = program.command("token").description("tokens for callers of the API");
  common(token.command("mint"))
    .description("create a token and show it once")
    .argument("<name>")
    .addOption(new Option("--access <class>", "what it may call").choices(["read", "write"]).default("write"))
    .action((name: string, flags: CommonFlags & { access: Access }) => tokenMint(name, flags));
  common(token.command("list")).description("list the tokens and their last use").action(tokenList);
  common(token.command("revoke")).description("revoke a token").argument("<name>").action(tokenRevoke);
  common(program.command("settings"))
    .description("show the settings and the plan, or change the given ones")
    .argument("[changes...]", "such as idleTimeoutSecs=600 or plan.flow=false")
    .action(settings);
}

function extensionGrammar(program: Command): void {
  const extension = program.command("extension").description("unpacked extensions that launches may load");
  common(extension.command("add"))
    .description("let launches load the extension in a directory, which stays where it is")
    .argument("<dir>", "the directory with its manifest.json")
    .action(extensionAdd);
  common(extension.command("list")).description("list the extensions").action(extensionList);
  common(extension.command("remove"))
    .description("remove an extension; its directory, and its data in profiles, stay")
    .argument("<id>", "the extension's id")
    .action(extensionRemove);
}

function backupGrammar(program: Command): void {
  const passphrase = () =>
    new Option(
      "--passphrase-file <file>",
      "file with the passphrase, - for stdin (default: asked at a terminal)",
    );
  common(program.command("backup"))
    .description(
      "write the library, uploads and profiles to one file; profiles whose browsers run, links, and names that are not UTF-8 are left out and named.\nThe file contains secrets and their key only with a passphrase.",
    )
    .summary("write the library and its profiles to one file")
    .argument("<file>", "a new file, such as troupe.tar.gz")
    .addOption(passphrase())
    .action(backup);
  common(program.command("restore"))
    .description("create a data directory from a backup; a failed restore leaves nothing behind")
    .argument("<file>", "a file written by troupe backup")
    .addOption(passphrase())
    .action(restore);
}

function runGrammar(program: Command, outcome: Outcome): void {
  apiFlags(program.command("run"))
    .description(
      "Save a TypeScript file as a script of the same name and run it on profiles.\nAn unapproved script runs on at most 3 profiles and without stored variables.",
    )
    .summary("save a file as a script and run it on profiles")
    .argument("<file>", "the script's source, - for stdin")
    .requiredOption("--profiles <names>", "a tag, or ids, slugs or names, comma-separated")
    .option(
      "--concurrency <n>",
      "profiles at the same time (a batch, which needs an approved script)",
      integer(1, 10_000),
    )
    .option("--stagger-ms <n>", "least time between two starts (a batch as well)", integer(0, 600_000))
    .option(
      "--var <name=value>",
      "a variable for the script; may be repeated",
      (pair, before: string[] = []) => [...before, pair],
    )
    .option("--headless", "browsers that the run opens have no window")
    .option("--approve", "approve exactly this source")
    .option("--watch", "show the progress until the end, then the output rows; Ctrl-C cancels the run")
    .option("--csv <file>", "with --watch: write the output rows to a CSV file; - is the output")
    .option(
      "--no-escape-formulas",
      "with --csv: do not put ' before cells that begin with =, +, - or @, which spreadsheets run as formulas",
    )
    .addHelpText("after", "\nExit codes with --watch: 0 completed, 4 partial, 1 failed or skipped.")
    .action(async (file: string, flags: RunFlags) => {
      outcome.code = await runFile(file, flags);
    });
}

function scriptGrammar(scripts: Command): void {
  common(scripts.command("approve"))
    .description("approve the current source")
    .argument("<id>", describedBy("scripts"))
    .action(scriptApprove);
  scripts.command("types").description("print the TypeScript types for Raw scripts").action(scriptTypes);
}

function machineGrammar(program: Command, outcome: Outcome): void {
  common(program.command("uploads"))
    .description("print the folder that set-file takes files from")
    .action(uploads);
  apiFlags(program.command("mcp"))
    .description(
      "MCP over stdio, for clients that start a command: forwards each message to POST /mcp.\nWith TROUPE_TOKEN it acts as the holder of that token, otherwise as you.",
    )
    .summary("MCP over stdio")
    .addOption(new Option("--tools <set>", "the set of tools").choices(["all", "core"]))
    .action((flags: McpFlags) => bridgeMcp(flags));
  common(program.command("doctor"))
    .description("check what the service needs on this machine")
    .option("--report [file]", "write a file for a bug report, without secrets and names")
    .action(async (flags: CommonFlags & { report?: string | true }) => {
      outcome.code = await doctor(flags);
    });
  common(program.command("trace"))
    .description(
      "write the DevTools messages of a running profile to a file, as JSON lines, until Ctrl-C.\nTyped text, values, bodies, code and secret headers are left out.",
    )
    .summary("write a running profile's DevTools messages to a file")
    .argument("<id>", "the profile's id, slug or name")
    .requiredOption("-o, --output <file>", "a new file")
    .option("--seconds <n>", "end after so long", integer(1, 86_400))
    .action((named: string, flags: TraceFlags) => trace(named, flags));
  program
    .command("completion")
    .description("print the completion script for a shell")
    .argument("<shell>", "bash, zsh or fish", (text): Shell => {
      const shell = shells.find((known) => known === text);
      if (shell === undefined) throw new InvalidArgumentError(`it must be ${shells.join(", ")}.`);
      return shell;
    })
    .action((shell: Shell) => say(completionScript(program, shell).trimEnd()));
}

function proxyGrammar(proxy: Command): void {
  common(proxy.command("rotating"))
    .description("create a pool of one gateway from a line on stdin with {session} in the user or password")
    .argument("<name>")
    .addOption(
      new Option("--type <type>", "type of a line without a scheme")
        .choices(["http", "socks5", "residential"])
        .default("http"),
    )
    .action((name: string, flags: CommonFlags & { type: ProxyType }) => proxyRotating(name, flags));
  common(proxy.command("exit"))
    .description("show or change the echo services and the local geo file")
    .option("--echo-url <url...>", "services to ask, in order; they replace the current ones")
    .option("--geo-file <path>", "a local file in MaxMind's format")
    .option("--no-geo-file", "use no geo file")
    .action(proxyExit);
}

/** Runs a command line, reports its error, and returns the exit code. */
export async function runTroupe(args: readonly string[]): Promise<number> {
  const outcome: Outcome = { code: exitCodes.ok };
  try {
    if (args.length === 0) return await start(serve);
    const data = onlyData(args);
    if (data !== null) return await start(serve, { data });
    await grammar(outcome).parseAsync(args, { from: "user" });
    return outcome.code;
  } catch (error) {
    // commander has reported the error; `--help` is not one.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.wrongUsage;
    return failed(error);
  }
}
