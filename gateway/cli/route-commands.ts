/** One command per operation of the API, from the route records. */
import { open } from "node:fs/promises";
import type { Command } from "commander";
import type { Route } from "../route.ts";
import { routes } from "../routes/all.ts";
import { resolved, type Schema, schemas } from "../schemas.ts";
import { type Api, type ApiFlags, type Operation, openApi } from "./api.ts";
import { type FileFlags, sendFile } from "./dataset-file.ts";
import { flagValue, readGiven, unreadable } from "./flag-values.ts";
import { dataDirGiven } from "./grammar-parts.ts";
import { describedBy, idOf, namedByPath, withIds } from "./ids-by-name.ts";
import { dataHint, Refused, say, streams, WrongUsage } from "./output.ts";
import { addOutputFlag, receiveFile } from "./received-file.ts";
import { type Flag, flagsOf, placeholderOf } from "./route-flags.ts";
import { attributeOf, commandOf } from "./route-names.ts";
import { show } from "./show.ts";

type Given = Record<string, string | string[] | boolean | undefined>;

/** Names of groups that scripts of users may still use. */
const aliases: Record<string, string> = { scripts: "script", proxies: "proxy" };

const groupTexts: Record<Route["tag"], string> = {
  Profiles: "profiles and the browsers that run them",
  Proxies: "proxy pools and their assignment to profiles",
  Datasets: "tables of rows for profiles and runs",
  Page: "drive the page of a running profile",
  Scripts: "scripts: save, approve, run",
  Runs: "runs and their results",
  Schedules: "scripts that run at set times",
  Service: "the service itself",
};

/** Fields that may also come from a file: `--source-file` beside `--source`. */
const documents = new Set(["source", "expression", "text"]);

export function apiFlags(command: Command): Command {
  return command
    .option(
      "--data <dir>",
      "data directory of the running service (default: the platform's usual one)",
      dataDirGiven,
    )
    .option("--api-url <url>", "call the API at this base URL (or TROUPE_URL) with the token in TROUPE_TOKEN")
    .option("--json", "write the reply as one JSON line");
}

export function addRouteCommands(program: Command): Map<string, Command> {
  const groups = new Map<string, Command>();
  for (const route of routes) {
    const { group: name } = commandOf(route);
    const group = groups.get(name) ?? program.command(name).description(groupTexts[route.tag]);
    if (!groups.has(name) && aliases[name] !== undefined) group.alias(aliases[name]);
    groups.set(name, group);
    addCommand(group, route);
  }
  return groups;
}

function addCommand(group: Command, route: Route): void {
  const command = apiFlags(group.command(commandOf(route).name))
    .summary(route.summary)
    .description(`${route.summary}.\n${route.description ?? ""}`.trim())
    .addHelpText("after", `\nCalls ${route.method} ${route.path} (${route.access}).`);
  const params = paramsOf(route);
  for (const { name, description } of params) command.argument(`<${name}>`, description);
  const flags = flagsOf(route);
  for (const flag of flags) addFlag(command, flag);
  if (route.idempotent === true) {
    command.option("--idempotency-key <key>", "a retry with the same key and request starts nothing");
  }
  if (takesFile(flags)) addFileFlags(command, flags);
  if (route.bodyFile !== undefined)
    command.option("--file <file>", "the body from this file, of any length, in place of all fields");
  const isBytes = route.reply.mediaTypes !== undefined;
  if (isBytes && !isLive(route)) addOutputFlag(command);
  command.action(async (...args: unknown[]) => {
    // commander passes the arguments in order, then the flags.
    const given = args[params.length] as Given & ApiFlags;
    const api = openApi(given);
    const named = args.slice(0, params.length).map(String);
    const ids = await Promise.all(
      params.map(({ kind }, place) => {
        const name = named[place] ?? "";
        return kind === null ? name : idOf(api, kind, name);
      }),
    );
    const operation = await operationOf(api, route, flags, ids, given);
    if (isLive(route)) return api.follow(operation, (part) => void streams.out.write(part));
    if (isBytes) return receiveFile(api, operation, given, formsOf(route));
    const file = fileFlags(given);
    const sent = file === null ? api.call(operation) : sendFile(api, operation, file);
    const reply = await sent.catch((error: unknown) => {
      throw params.length > 0 ? withNext(error, group, ids[0] ?? "", given) : error;
    });
    if (given.json === true) say(JSON.stringify(reply));
    else if (reply !== null) say(route.reply.schema === null ? JSON.stringify(reply, null, 2) : show(reply));
  });
}

/** Adds the next command: one that lists what the service knows, or one that starts the profile. */
function withNext(error: unknown, group: Command, id: string, { data }: ApiFlags): unknown {
  const here = data === undefined ? "" : dataHint(data);
  if (error instanceof Refused && error.status === 409 && error.message.endsWith(`${id} is not running`))
    return new Refused(error.status, `${error.message}; launch it with: troupe profiles launch ${id}${here}`);
  const lists = group.commands.some((command) => command.name() === "list");
  if (!(error instanceof Refused) || error.status !== 404 || !lists) return error;
  return new Refused(error.status, `${error.message}; see: troupe ${group.name()} list${here}`);
}

const isLive = ({ reply }: Route) => reply.mediaTypes?.includes("text/event-stream") === true;
const formsOf = ({ reply: { mediaTypes = [], schema } }: Route) => ({
  isText: mediaTypes.every((type) => /^text\/|\/jsonl$/.test(type)),
  mayBeJson: schema !== null,
});

function paramsOf({ params, path }: Route) {
  const properties = params === null ? {} : (schemas[params]?.properties ?? {});
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const kind = name === "id" ? namedByPath(path) : null;
    const schema: Schema | undefined = properties[name];
    const described = schema === undefined ? "" : (resolved(schema).description ?? "");
    return { name, kind, description: kind === null ? described : describedBy(kind) };
  });
}

function addFlag(command: Command, flag: Flag): void {
  if (flag.kind === "boolean") {
    command.option(`--${flag.name}`, flag.description);
    command.option(`--no-${flag.name}`, `the opposite of --${flag.name}`);
    return;
  }
  const option = command.createOption(`--${flag.name} ${placeholderOf(flag)}`, flag.description);
  if (flag.choices.length > 0) option.choices(flag.choices);
  else if (["list", "map", "json", "records"].includes(flag.kind)) {
    option.argParser((value: string, before: string[] = []) => [...before, value]);
  }
  command.addOption(option);
  if (documents.has(flag.key)) {
    command.option(`--${flag.name}-file <path>`, `--${flag.name} from a file, - for stdin`);
  }
}

const takesFile = (flags: Flag[]) => flags.some(({ key, kind }) => key === "rows" && kind === "records");

function addFileFlags(command: Command, flags: Flag[]): void {
  command.option("--csv <file>", "the rows of a CSV file with a header line, - for stdin; of any length");
  if (!flags.some(({ key }) => key === "columns")) return;
  command.option("--secret-columns <names>", "with --csv: columns to seal, comma-separated");
}

function fileFlags({ csv, secretColumns }: Given): FileFlags | null {
  if (typeof csv !== "string") return null;
  return { csv, ...(typeof secretColumns === "string" ? { secretColumns } : {}) };
}

async function operationOf(
  api: Api,
  route: Route,
  flags: Flag[],
  ids: string[],
  given: Given,
): Promise<Operation> {
  if (route.bodyFile !== undefined && typeof given.file === "string")
    return {
      method: route.method,
      path: route.path,
      body: {},
      file: await sentFile(route.bodyFile, given.file),
    };
  const query: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  const byFile = fileFlags(given) !== null;
  for (const flag of flags) {
    const value = await withIds(api, flag, await givenValue(flag, given));
    if (value === undefined) {
      const fromFile = byFile && (flag.key === "rows" || flag.key === "columns");
      if (flag.required && !fromFile) throw new WrongUsage(missing(flag, route));
    } else if (flag.part === "query") query[flag.key] = String(value);
    else body[flag.key] = value;
  }
  const key = given.idempotencyKey;
  return {
    method: route.method,
    path: ids.reduce((path, id) => path.replace(/\{\w+\}/, encodeURIComponent(id)), String(route.path)),
    query,
    ...(route.body === null ? {} : { body }),
    ...(typeof key === "string" ? { idempotencyKey: key } : {}),
  };
}

async function sentFile({ type }: { type: string }, path: string): Promise<NonNullable<Operation["file"]>> {
  try {
    return { type, stream: (await open(path)).createReadStream() };
  } catch (error) {
    throw new WrongUsage(`--file: ${unreadable(error, path)}`);
  }
}

async function givenValue(flag: Flag, given: Given): Promise<unknown> {
  const file = given[attributeOf(`${flag.name}-file`)];
  if (documents.has(flag.key) && typeof file === "string") return readGiven(`--${flag.name}-file`, file);
  const value = given[attributeOf(flag.name)];
  if (value === undefined || typeof value === "boolean") return value;
  return flagValue(flag, typeof value === "string" ? [value] : value);
}

function missing({ name, kind, key }: Flag, { bodyFile }: Route): string {
  if (kind === "boolean") return `one of --${name} and --no-${name} is required`;
  if (bodyFile !== undefined) return `--file is required, or --${name}`;
  return `--${name} is required${documents.has(key) ? `, or --${name}-file` : ""}`;
}
