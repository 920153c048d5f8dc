/** Flags, output formats and exit codes of commands, against a real service. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { request } from "undici";
import { readInstance } from "../../gateway/instance.ts";
import type { Dataset, DatasetRowsReply } from "../../protocol/datasets.ts";
import type { Profile } from "../../protocol/records.ts";
import { commandPlace } from "./command-place.ts";
import { command, reply } from "./in-process.ts";
import { troupeFed } from "./serve.ts";

const on = commandPlace();

async function file(name: string, contents: string): Promise<string> {
  const path = join(on.files, name);
  await writeFile(path, contents);
  return path;
}

const create = (...flags: string[]) =>
  reply<{ created: { profile_id: string; name: string }[] }>("profiles", "create", ...flags, ...on.at);

test("a list flag accepts commas, repetition, JSON and files; a table shows only columns that have values", async () => {
  await create("--count", "1", "--tags", "a, b", "--tags", "c");
  await create("--count", "1", "--tags", '["d,e"]');
  await create("--count", "1", "--tags", `@${await file("tags.txt", "f\ng h\n")}`);
  const profiles = await reply<Profile[]>("profiles", "list", ...on.at);
  assert.deepEqual(
    profiles.map(({ tags }) => tags),
    [["a", "b", "c"], ["d,e"], ["f", "g h"]],
  );
  assert.deepEqual(profiles, (await on.running.client.get("/v1/profiles")).body);
  const { stdout } = await command("profiles", "list", ...on.at);
  const [head = "", first = "", ...others] = stdout.trimEnd().split("\n");
  assert.match(head, /^ID +NAME +SLUG +OS +TAGS/);
  assert.ok(!head.includes("FOLDER"), "no profile has a folder");
  assert.match(first, /Profile 1 .* a, b, c /);
  assert.equal(others.length, 2);
});

test("a map flag accepts NAME=VALUE, JSON and files, and the last value wins; a text flag accepts a file", async () => {
  const [profile] = (await create("--count", "1")).created;
  const id = profile?.profile_id ?? "";
  const vars = await file("vars.json", '{"b":"2","c":"x=y"}');
  const args = [
    "--variables",
    "a=1",
    "--variables",
    "b=1",
    "--variables",
    `@${vars}`,
    "--variables",
    '{"d":""}',
  ];
  const set = await command("profiles", "set-variables", id, ...args, ...on.at);
  assert.equal(set.stdout.trim(), "variableNames  a, b, c, d");
  const source = await file("s.ts", "export default async function run() {}\n");
  const saved = await reply<{ scriptId: string }>(
    "scripts",
    "save",
    "--name",
    "s",
    "--source-file",
    source,
    ...on.at,
  );
  const { stdout } = await command("scripts", "read", saved.scriptId, ...on.at);
  assert.match(stdout, /source:\nexport default async function run\(\) \{\}/);
});

test("a command accepts a profile's id, its slug, or its name when that is unique", async () => {
  await create("--count", "2", "--name-template", "Twin");
  await create("--count", "1", "--name-template", "Lone One");
  const stopped = async (name: string) => (await command("profiles", "stop", name, ...on.at)).stderr;
  for (const name of ["Lone One", "lone-one", "twin-2"]) assert.equal(await stopped(name), "", name);
  assert.equal(
    await stopped("Twin"),
    "troupe: 2 profiles are called Twin; use an id or a slug, which troupe profiles list --json shows\n",
  );
  assert.match(await stopped("nobody"), /^troupe: no profile has "nobody" as id, slug or name/);
});

test("a dataset is created from a CSV file of any length, and bad rows are reported by their number in the file", async () => {
  const lines = Array.from({ length: 12_000 }, (_, n) => `user${n}@example.com,"pass, ""${n}"""`);
  lines[10_999] = `x,${"y".repeat(70_000)}`;
  const csv = await file("accounts.csv", `\uFEFFemail,password\r\n${lines.join("\r\n")}\r\n`);
  const args = ["--name", "Accounts", "--mode", "fixed", "--csv", csv, "--secret-columns", "password"];
  const made = await reply<{ dataset: Dataset; badRows: { row: number }[] }>(
    "datasets",
    "create",
    ...args,
    ...on.at,
  );
  assert.equal(made.dataset.rows.total, 11_999);
  assert.deepEqual(
    made.badRows.map(({ row }) => row),
    [11_000],
  );
  const more = await file("more.csv", "password,email\nnew,last@example.com\n");
  await reply("datasets", "append-rows", made.dataset.id, "--csv", more, ...on.at);
  const page = ["--offset", "11999", "--limit", "5"];
  const { rows } = await reply<DatasetRowsReply>("datasets", "list-rows", made.dataset.id, ...page, ...on.at);
  assert.deepEqual(
    rows.map(({ values }) => values),
    [{ email: "last@example.com" }],
  );
  const rowsFlag = ["--columns", '[{"name":"t"}]', "--rows", `@${await file("t.csv", "t\n1\n2\n")}`];
  const small = await reply<{ dataset: Dataset }>(
    "datasets",
    "create",
    "--name",
    "T",
    "--mode",
    "consume",
    ...rowsFlag,
    ...on.at,
  );
  assert.equal(small.dataset.rows.total, 2);
});

test("wrong usage exits with 2 and names the flag; a conflict exits with 1; errors repeat no password", async () => {
  const nowhere = "7d9f5f6e-3a55-4b5e-9f2e-1c2d3e4f5a6b";
  for (const [args, code, text] of [
    [
      ["profiles", "launch", "7"],
      2,
      /^troupe: no profile has "7" as id, slug or name; see: troupe profiles list$/,
    ],
    [["profiles", "launch"], 2, /missing required argument 'id'/],
    [["profiles", "create"], 2, /^troupe: --count is required$/],
    [["profiles", "create", "--count", "many"], 2, /count must be an integer.*got "many"/],
    [["profiles", "create", "--count", "1", "--os", "beos"], 2, /Allowed choices are/],
    [["schedules", "enable", nowhere], 2, /one of --enabled and --no-enabled is required/],
    [["scripts", "save", "--name", "x"], 2, /--source is required, or --source-file/],
    [
      ["scripts", "save", "--name", "x", "--source-file", join(on.files, "none.ts")],
      2,
      /--source-file: .+none\.ts does not exist$/,
    ],
    [
      ["scripts", "save", "--name", "x", "--source-file", on.files],
      2,
      /--source-file: .+ is a directory; name a file$/,
    ],
    [["run", join(on.files, "none.ts"), "--profiles", "x"], 2, /the script: .+none\.ts does not exist$/],
    [
      ["profiles", "set-variables", nowhere, "--variables", "{hush"],
      2,
      /--variables must be JSON text, @FILE or -$/,
    ],
    [["profiles", "set-variables", nowhere, "--variables", "=hush"], 2, /--variables must be NAME=VALUE/],
    [["profiles", "launch", nowhere], 1, /^troupe: conflict: profile .* does not exist$/],
    [["runs", "read", nowhere], 1, /^troupe: not found: /],
  ] as const) {
    const ended = await command(...args, ...on.at);
    assert.equal(ended.code, code, `${args.join(" ")}: ${ended.stderr}`);
    assert.match(ended.stderr.split("\n(")[0]?.trim() ?? "", text);
    assert.ok(!ended.stderr.includes("hush"), ended.stderr);
  }
});

test("proxy lines are read from stdin, so that other processes cannot see them", async () => {
  const lines = "127.0.0.1:9001:user:pass,word\n# a comment\nuser:b@127.0.0.1:9002\n";
  const made = await troupeFed(lines, "proxies", "create", "--name", "P", "--lines", "-", "--json", ...on.at);
  assert.equal(made.code, 0, made.stderr);
  assert.equal(JSON.parse(made.stdout).pool.entries, 2);
  assert.ok(!made.stdout.includes("word"));
});

test("a command with a base URL and a token calls the API as any client does", async () => {
  const url = on.running.service.apiUrl ?? "";
  const args = ["profiles", "get-capacity", "--api-url", url, "--json"];
  const none = await command(...args);
  assert.equal(none.code, 2);
  assert.match(
    none.stderr,
    /TROUPE_TOKEN must be a token of this API; mint one with: troupe token mint NAME/,
  );
  try {
    process.env.TROUPE_TOKEN = "unknown";
    const unknown = await command(...args);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /does not know this token/);
    process.env.TROUPE_TOKEN = on.running.token;
    assert.deepEqual(
      JSON.parse((await command(...args)).stdout),
      (await on.running.client.get("/v1/capacity")).body,
    );
    process.env.TROUPE_URL = url;
    assert.equal((await command("profiles", "get-capacity")).code, 0);
    assert.equal((await command("profiles", "get-capacity", "--api-url", "ftp://x")).code, 2);
  } finally {
    delete process.env.TROUPE_TOKEN;
    delete process.env.TROUPE_URL;
  }
});

test("without a service, a command's error says how to start one", async () => {
  const { code, stderr } = await command("profiles", "list", "--data", on.files);
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `troupe: conflict: no service runs on ${on.files}; start one with: troupe serve --data ${on.files}\n`,
  );
  const before = process.env.XDG_DATA_HOME;
  process.env.XDG_DATA_HOME = on.files; // Nothing runs in it.
  try {
    for (const args of [["profiles", "list"], ["status"]]) {
      const usual = await command(...args);
      assert.equal(usual.code, 1);
      assert.match(usual.stderr, /name the directory of a running one with --data DIR, or start one with/);
    }
  } finally {
    if (before === undefined) delete process.env.XDG_DATA_HOME;
    else process.env.XDG_DATA_HOME = before;
  }
});

test("an option before its command is refused with a word about its place", async () => {
  for (const args of [
    ["--data", on.files, "run", "x.ts"],
    [`--data=${on.files}`, "status"],
    ["--json", "status"],
    ["profiles", "--data", on.files, "list"],
  ]) {
    const { code, stderr } = await command(...args);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /unknown option '--\w+.*'; it belongs after a command that takes it, as in: troupe st/,
    );
  }
  const { stderr } = await command("status", "--colour");
  assert.doesNotMatch(stderr, /belongs/);
});

test("the application's listener accepts operations only with its secret", async () => {
  const instance = readInstance(on.running.dataDir);
  assert.ok(instance);
  const ask = async (headers: Record<string, string>, path = "/v1/capacity") => {
    const { statusCode, body } = await request(new URL(path, instance.url), { headers });
    return { status: statusCode, body: await body.text() };
  };
  const own = { authorization: `Bearer ${instance.secret}` };
  assert.equal((await ask(own)).status, 200);
  assert.equal((await ask({ ...own, origin: "http://evil.example" })).status, 403);
  assert.equal((await ask({ ...own, host: "evil.example" })).status, 403);
  assert.deepEqual(await ask({ authorization: `Bearer ${on.running.token}` }), { status: 401, body: "" });
  assert.match((await ask(own, "/v1/nothing")).body, /not found: there is no \/v1\/nothing/);
  assert.equal((await ask({}, "/v1/capacity")).status, 401);
});

test("settings are shown and changed by name, and values of the wrong type are refused", async () => {
  assert.match((await command("settings", ...on.at)).stdout, /^plan\.flow +true$/m);
  const changed = await reply<{ idleTimeoutSecs: number; plan: { profilesMax: number } }>(
    "settings",
    "idleTimeoutSecs=600",
    "plan.profilesMax=77",
    ...on.at,
  );
  assert.deepEqual([changed.idleTimeoutSecs, changed.plan.profilesMax], [600, 77]);
  for (const change of [
    "plan=1",
    "nothing=1",
    "plan.nothing=1",
    "idleTimeoutSecs=x",
    "plan.flow=1",
    "idleTimeoutSecs",
  ]) {
    assert.equal((await command("settings", change, ...on.at)).code, 2, change);
  }
});
