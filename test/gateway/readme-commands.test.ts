/** Every command, flag and request in the READMEs exists. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkBody, checkParams, checkQuery, queryValues } from "../../gateway/gate/shapes.ts";
import { createRouter } from "../../gateway/router.ts";
import { routes } from "../../gateway/routes/all.ts";
import { verbs } from "../../protocol/generated/verb-table.ts";
import { readRepositoryFile, repositoryFiles } from "../tidy/tree.ts";
import {
  commandsOf,
  mentionFindings,
  partsOf,
  refusalOf,
  requestOf,
  sectionOf,
  shellBlocks,
  type Words,
} from "./readme-commands.ts";

const pages = repositoryFiles()
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, text: readRepositoryFile(path) }));
const scripts: Record<string, string> = JSON.parse(readRepositoryFile("package.json")).scripts;
const find = createRouter(routes);

const uuid = "00000000-0000-4000-8000-000000000000";
/** Values that readers fill in, and those that one block takes from another page. */
const samples = {
  TOKEN: "token",
  API: "http://127.0.0.1:4477/v1",
  auth: "Authorization: Bearer token",
  ID: uuid,
  NODE: "1",
  TROUPE_URL: "http://127.0.0.1:4477",
  TROUPE_TOKEN: "token",
  PROFILE: uuid,
  POOL: uuid,
  DATASET: uuid,
  SCRIPT: uuid,
  RUN: uuid,
  SCHEDULE: uuid,
};

/** The block's commands with samples in its blanks. */
function sampledCommands(block: string): Words[] {
  return commandsOf(partsOf(block).at(-1)?.text ?? "", samples);
}

/** Whatever is wrong with one command; null if nothing is. */
function findingOf(words: Words): string | null {
  const [program, ...args] = words;
  if (program === "curl") return requestFinding(words);
  if (program === "troupe") return args.length === 0 ? null : refusalOf(args);
  if (program === "npm") return npmFinding(args);
  return ["git", "cd", "podman", "createdb"].includes(String(program))
    ? null
    : `${program} is not a command for a README`;
}

function requestFinding(words: Words): string | null {
  try {
    const { method, url, headers, body, fromFile } = requestOf(words);
    assert.deepEqual([url.origin, headers.authorization], ["http://127.0.0.1:4477", "Bearer token"]);
    const { route, params } = find(method, url.pathname);
    checkParams(route, params);
    checkQuery(route, queryValues(route, url.searchParams));
    if (fromFile) assert.ok([route.bodyFile?.type, "text/plain"].includes(headers["content-type"]));
    else if (method === "POST") checkBody(route, body === null ? undefined : JSON.parse(body));
    return null;
  } catch (error) {
    return `${words.join(" ")}: ${error instanceof Error ? error.message : error}`;
  }
}

function npmFinding([verb = "", ...rest]: readonly string[]): string | null {
  if (verb === "install") return npmInstallFinding(rest);
  const [name = "", ...args] = verb === "run" ? rest : [verb, ...rest];
  const script = scripts[name];
  if (script === undefined) return `package.json has no script ${name}`;
  const ours = /dist\/troupe\.js (.*)$/.exec(script)?.[1];
  return ours === undefined ? null : refusalOf([...ours.split(" "), ...args.filter((arg) => arg !== "--")]);
}

/** A reader installs the package that `npm run pack` makes, or a client's library by name. */
function npmInstallFinding(args: readonly string[]): string | null {
  const { version } = JSON.parse(readRepositoryFile("package.json"));
  const wrong = args.filter((arg) => arg.endsWith(".tgz") && !arg.endsWith(`-${version}.tgz`));
  return wrong.length === 0 ? null : `${wrong.join()} is not of version ${version}`;
}

describe("the shell blocks of", () => {
  for (const { path, text } of pages) {
    const blocks = shellBlocks(text);
    if (blocks.length === 0) continue;
    test(`${path} have commands, flags and requests that exist`, () => {
      const commands = blocks.flatMap(sampledCommands);
      assert.ok(commands.length > 0);
      assert.deepEqual(
        commands.map(findingOf).filter((finding) => finding !== null),
        [],
      );
    });
  }
});

test("the walk calls the port that its service is started with", () => {
  const [start = "", walk = ""] = shellBlocks(
    sectionOf(readRepositoryFile("README.md"), "From a token to a click"),
  );
  const [words = []] = sampledCommands(start);
  const port = words[words.indexOf("--port") + 1];
  const urls = sampledCommands(walk).map((request) => requestOf(request).url);
  assert.deepEqual([...new Set(urls.map((url) => url.port))], [port]);
});

test("the run uses the data directory of the walk's service, and a tag of its profiles", () => {
  const readme = readRepositoryFile("README.md");
  const [start = "", walk = ""] = shellBlocks(sectionOf(readme, "From a token to a click"));
  const [run = ""] = shellBlocks(sectionOf(readme, "A script and a batch"));
  const flag = (block: string, name: string) => {
    const [words = []] = sampledCommands(block);
    return words[words.indexOf(name) + 1];
  };
  assert.equal(flag(run, "--data"), flag(start, "--data"));
  assert.match(walk, new RegExp(`"tags":\\["${flag(run, "--profiles")}"\\]`));
});

test("the contract lists every page verb, and its access class", () => {
  const contract = readRepositoryFile("protocol/README.md");
  const [verbList = ""] = sectionOf(contract, "Page driving").split(" declares each.");
  const [write = "", read = ""] = sectionOf(contract, "Access classes").split("Read: every other GET");
  const lacks = (text: string, name: string) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text);
  const findings = Object.values(verbs).flatMap(({ name, access, method }) => [
    ...(lacks(verbList, name) ? [`add ${name} to the list of "Page driving"`] : []),
    ...(access === "write" && lacks(write, name)
      ? [`add ${name} to the write operations of "Access classes"`]
      : []),
    ...(access === "read" && method !== "GET" && lacks(read, name)
      ? [`add ${name} to the read operations of "Access classes"`]
      : []),
  ]);
  assert.deepEqual(findings, [], `protocol/README.md: ${findings.join("; ")}`);
});

test("commands and flags in running text exist", () => {
  const findings = pages.flatMap(({ text }) =>
    [...text.matchAll(/`(troupe [^`]+)`/g)].flatMap(([, mention = ""]) => mentionFindings(mention)),
  );
  assert.deepEqual(findings, []);
});

test("flags in the command line's table are those of the row's command", () => {
  const rows = readRepositoryFile("gateway/cli/README.md").matchAll(/^\| `(troupe [^`]+)`([^|]*)\| (.*)$/gm);
  const findings = [...rows].flatMap(([, mention = "", more = "", text = ""]) => {
    const flags = text.match(/--[a-z-]+/g) ?? [];
    // A row of several commands: each flag is one of the first's, or of another that the row names.
    const others = [...more.matchAll(/`(troupe [^`]+)`/g)].map(([, other = ""]) => other);
    return flags.flatMap((flag) =>
      [mention, ...others].some((one) => mentionFindings(one, [flag]).length === 0)
        ? []
        : [`${mention}: ${flag}`],
    );
  });
  assert.deepEqual(findings, []);
});

test("npm scripts that a page names exist", () => {
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name),
  );
  assert.ok(named.length > 5);
  assert.deepEqual(
    named.filter((name) => scripts[name] === undefined),
    [],
  );
});

describe("the check finds", () => {
  const curl = 'curl -s -H "$auth"';
  const wrong: [what: string, block: string][] = [
    ["a command that does not exist", "troupe profiles make"],
    ["a flag that does not exist", "troupe page snapshot ID --short"],
    ["a value that a flag does not take", "troupe serve --api maybe"],
    ["a script that does not exist", "npm run nothing"],
    ["a flag of the service after npm start", "npm start -- --prot 1"],
    ["an unknown path", `${curl} $API/profile`],
    ["a method that the path does not support", `${curl} -X POST $API/capacity`],
    ["an unknown field", `${curl} -d '{"counts":1}' $API/profiles`],
    ["a body that is not JSON", `${curl} -d '{count:1}' $API/profiles`],
    ["an unknown query parameter", `${curl} "$API/runs?shedule_id=$ID"`],
    ["a request without the token", "curl -s $API/capacity"],
    ["another program", "wget $API/capacity"],
  ];
  for (const [what, block] of wrong)
    test(what, () => assert.deepEqual(sampledCommands(block).map(findingOf).filter(Boolean).length, 1));

  test("a variable that is not set", () =>
    assert.throws(() => sampledCommands("troupe page snapshot $NOBODY"), /NOBODY/));
  test("a wrong command or flag in running text", () => {
    assert.equal(mentionFindings("troupe token make NAME").length, 1);
    assert.equal(mentionFindings("troupe api on [--prot N]").length, 1);
    assert.deepEqual(mentionFindings("troupe GROUP COMMAND --help"), []);
  });
});

/** The words of the row "expensive calls" in protocol/README.md, "Limits". */
const expensive: Record<string, string> = {
  launchProfile: "launch",
  createProfiles: "create",
  duplicateProfile: "duplicate",
  importProfile: "import profiles",
  createCheckpoint: "create a checkpoint",
  createProxyPool: "create a pool",
  runScript: "run a script",
  runBatch: "a batch",
  retryRun: "a run again",
  runSchedule: "a schedule now",
};

test("the limit of expensive calls names every operation that counts", () => {
  const counted = routes.filter((route) => route.expensive).map(({ id }) => id);
  assert.deepEqual(counted.toSorted(), Object.keys(expensive).toSorted());
  const [row = ""] = /^\| expensive calls: .*$/m.exec(readRepositoryFile("protocol/README.md")) ?? [];
  for (const words of [...Object.values(expensive), "connect to the address that stays"])
    assert.ok(row.includes(words), `${words} is missing in: ${row}`);
});
