/** Reads the commands of READMEs: shell blocks as bash reads them, requests of curl, and commands of the command line. */
import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { grammar } from "../../gateway/cli/grammar.ts";

/** Words of one command; the first is the program. */
export type Words = readonly string[];

/** The text below a heading of any level, up to the next heading. */
export function sectionOf(markdown: string, heading: string): string {
  const section = markdown.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`there is no heading "${heading}"`);
  return section;
}

export function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
}

export interface Part {
  /** The block from its start to here, without blanks. */
  text: string;
  /** A value that the reader fills in: `export ID=...   # profile_id of the reply`. Null at the end of the block. */
  blank: { name: string; from: string } | null;
}

/** Splits a block after each blank. */
export function partsOf(block: string): Part[] {
  const parts: Part[] = [];
  let text = "";
  for (const line of block.split("\n")) {
    const [, name, from] = /^export (\w+)=\.\.\. +# (.+)$/.exec(line) ?? [];
    if (name !== undefined && from !== undefined) parts.push({ text, blank: { name, from } });
    else text += `${line}\n`;
  }
  return [...parts, { text, blank: null }];
}

/** Every command is unknown to this shell, and each unknown command is printed. */
const prelude = `PATH=/nonexistent
command_not_found_handle() { printf '%s\\0' "$#" "$@"; }
cd() { command_not_found_handle cd "$@"; }
`;

/** The commands of a text as bash reads it; none is run. Throws for a variable that neither `env` nor the text sets. */
export function commandsOf(text: string, env: Readonly<Record<string, string>>): Words[] {
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-u", "-c", prelude + text], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0 || stderr !== "") throw new Error(`bash cannot read it: ${stderr}\n${text}`);
  const fields = stdout.split("\0");
  const commands: Words[] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const count = Number(fields[at]);
    commands.push(fields.slice(at + 1, at + 1 + count));
    at += 1 + count;
  }
  return commands;
}

export interface CurlRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | null;
  /** The body is a file of the reader's. */
  fromFile: boolean;
}

/** The request of a curl command. Throws for an option that curl has and this function does not know. */
export function requestOf([program, ...args]: Words): CurlRequest {
  if (program !== "curl") throw new Error(`${program} is not curl`);
  const given = new Map<string, string>();
  const urls: string[] = [];
  const headers: Record<string, string> = {};
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "-s" || arg === "-sN") continue;
    if (arg === "-H") {
      at += 1;
      const [, name = "", value = ""] = /^(.*?): (.*)$/.exec(args[at] ?? "") ?? [];
      headers[name.toLowerCase()] = value;
    } else if (["-d", "-X", "-w", "-o", "--data-binary"].includes(arg)) {
      at += 1;
      given.set(arg, args[at] ?? "");
    } else if (arg.startsWith("-")) throw new Error(`curl ${arg} is unknown here`);
    else urls.push(arg);
  }
  const [url, ...more] = urls;
  if (url === undefined || more.length > 0) throw new Error(`curl with ${urls.length} addresses`);
  const body = given.get("-d") ?? null;
  const fromFile = given.has("--data-binary");
  return {
    method: given.get("-X") ?? (body === null && !fromFile ? "GET" : "POST"),
    url: new URL(url),
    // curl's own type for -d.
    headers: {
      ...(body === null ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      ...headers,
    },
    body,
    fromFile,
  };
}

/** The reason why the command line refuses these arguments; null if it takes them. No command acts. */
export function refusalOf(args: readonly string[]): string | null {
  const program = grammar();
  const quiet = (command: Command) => {
    command.configureOutput({ writeOut: () => {}, writeErr: () => {} });
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(quiet);
  };
  quiet(program);
  try {
    program.parse(args, { from: "user" });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Findings of a command in running text, with placeholders in capitals: `troupe token mint NAME [--access read\|write]`. */
export function mentionFindings(mention: string, flags: readonly string[] = []): string[] {
  const words = mention.replaceAll(/[[\]]/g, " ").split(/\s+/).slice(1);
  let command: Command = grammar();
  for (const word of words) {
    if (word.startsWith("-") || command.commands.length === 0) continue;
    const below = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (below !== undefined) command = below;
    else if (/^[a-z]/.test(word)) return [`${mention}: there is no command ${word}`];
    else return [];
  }
  const known = new Set(["--help", ...command.options.map(({ long }) => long)]);
  return [...words.filter((word) => word.startsWith("--")), ...flags]
    .filter((flag) => !known.has(flag))
    .map((flag) => `${mention}: there is no flag ${flag}`);
}
