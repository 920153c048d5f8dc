/** `troupe run` as a process: from a file to rows, its requirements, and Ctrl-C. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Run, RunProfile, ScriptListing } from "../../protocol/records.ts";
import { command, reply } from "../gateway/in-process.ts";
import { type Ended, processesNaming, type Served, serve, troupe, until } from "../gateway/serve.ts";

const built = fileURLToPath(new URL("../../dist/troupe.js", import.meta.url));

let data: string;
let served: Served;
let at: string[];
before(async () => {
  data = await mkdtemp(join(tmpdir(), "troupe-run-"));
  at = ["--data", data];
  served = await serve(data, "--mint", "caller");
  const create = (count: string, template: string, tag: string) =>
    reply("profiles", "create", "--count", count, "--name-template", template, "--tags", tag, ...at);
  await create("3", "Shopper {n}", "shop");
  await create("1", "Other {n}", "other");
});
after(async () => {
  await served.end("SIGTERM");
  assert.deepEqual(processesNaming(data), []);
  await rm(data, { recursive: true, force: true });
});

async function script(name: string, body: string): Promise<string> {
  const path = join(data, name);
  const head =
    'import type { Page } from "playwright-core";\nimport type { ScriptContext } from "@troupe/script";\n';
  const run =
    "export default async function run({ page, profile, variables, output, log, sleep }: ScriptContext<Page>)";
  await writeFile(path, `${head}${run} {\n${body}\n}\n`);
  return path;
}

const shop = () =>
  script(
    "shop.ts",
    `  await page.goto("data:text/html,<title>Shop, \\"open\\"</title>");
  log.info("looking");
  output({ city: variables.city, title: await page.title(), name: profile.name });`,
  );

test("a file becomes a script, is approved by the user, runs as a batch, and its rows are shown and saved", async () => {
  const file = await shop();
  const args = ["run", file, "--profiles", "shop", "--concurrency", "2", "--var", "city=Köln", ...at];
  const unapproved = await troupe(...args);
  assert.equal(unapproved.code, 2);
  assert.match(
    unapproved.stderr,
    /not approved: read it, then add --approve, or: troupe scripts approve [0-9a-f-]{36}/,
  );
  const rows = join(data, "rows.csv");
  const watched = await troupe(...args, "--approve", "--headless", "--watch", "--csv", rows, "--json");
  assert.equal(watched.code, 0, watched.stderr);
  for (const n of [1, 2, 3]) assert.match(watched.stderr, new RegExp(`^Shopper ${n}: completed$`, "m"));
  assert.match(watched.stderr, /^completed: 3 done, 0 failed of 3$/m);
  const { run, profiles }: { run: Run; profiles: RunProfile[] } = JSON.parse(watched.stdout);
  assert.deepEqual([run.status, run.source, profiles.length], ["completed", "app", 3]);
  const line = (n: number) => `Shopper ${n},Köln,"Shop, ""open""",Shopper ${n}\r\n`;
  assert.equal(await readFile(rows, "utf8"), `profile,city,title,name\r\n${line(1)}${line(2)}${line(3)}`);

  const again = await troupe(
    "run",
    file,
    "--profiles",
    "shopper-1,Other 1",
    "--var",
    "city=X",
    "--watch",
    ...at,
  );
  assert.equal(again.code, 0, again.stderr);
  const piped = ["--var", "city=Y", "--watch", "--csv", "-"];
  const lines = await troupe("run", file, "--profiles", "Other 1", ...piped, ...at);
  assert.equal(lines.stdout, 'profile,city,title,name\r\nOther 1,Y,"Shop, ""open""",Other 1\r\n');
  assert.match(again.stdout, /^PROFILE +CITY +TITLE +NAME\nShopper 1 +X +Shop, "open" +Shopper 1\nOther 1 /);
  const scripts = await reply<ScriptListing[]>("scripts", "list", ...at);
  assert.deepEqual(
    scripts.map(({ name, version, approved }) => [name, version, approved]),
    [["shop.ts", "1", true]],
    "the same file is the same script, and keeps its approval",
  );
});

test("the exit code is 4 when some profiles fail, and 1 when all fail", async () => {
  const file = await script(
    "some.ts",
    '  if (variables.fail === "all" || profile.name === "Shopper 2") throw new Error("sold out");',
  );
  const some = await troupe("run", file, "--profiles", "Shopper 1,Shopper 2", "--watch", ...at);
  assert.equal(some.code, 4, some.stderr);
  assert.match(some.stderr, /^Shopper 2: failed – .*sold out/m);
  assert.match(some.stderr, /^partial: 1 done, 1 failed of 2/m);
  const all = await troupe("run", file, "--profiles", "other", "--var", "fail=all", "--watch", ...at);
  assert.equal(all.code, 1, all.stderr);
});

test("invalid arguments are wrong usage, and start nothing", async () => {
  const file = await shop();
  const before = (await reply<Run[]>("runs", "list", ...at)).length;
  for (const [args, text] of [
    [[file, "--profiles", "nobody"], /no profile has "nobody" as id, tag, slug or name/],
    [[file, "--profiles", ","], /names no profile/],
    [[file], /required option '--profiles <names>'/],
    [[join(data, "none.ts"), "--profiles", "shop"], /the script: .+none\.ts does not exist/],
    [[file, "--profiles", "shop", "--csv", "x.csv"], /--csv needs --watch/],
    [[file, "--profiles", "shop", "--var", "city"], /--var must be NAME=VALUE/],
    [[await script("bad.ts", "  process.exit(1);"), "--profiles", "shop"], /line 4 \[no-process\]/],
  ] as const) {
    const { code, stderr } = await command("run", ...args, ...at);
    assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, text);
  }
  assert.equal((await reply<Run[]>("runs", "list", ...at)).length, before);
});

test("a caller of the API can run a file too, but cannot approve it", async () => {
  const file = await shop();
  process.env.TROUPE_TOKEN = served.token;
  try {
    const far = ["run", file, "--profiles", "other", "--api-url", served.apiUrl];
    assert.match((await command(...far, "--approve")).stderr, /--approve does not work with --api-url/);
    const batch = await reply<Run>(...far, "--concurrency", "1");
    assert.deepEqual([batch.status, batch.source], ["running", null]);
    await reply("runs", "cancel", batch.id, "--api-url", served.apiUrl);
  } finally {
    delete process.env.TROUPE_TOKEN;
  }
});

async function interrupted(sign: RegExp, args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [built, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    const before = sign.test(stderr);
    stderr += chunk;
    if (!before && sign.test(stderr)) child.kill("SIGINT");
  });
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

test("Ctrl-C cancels the run, waits for its end, and stops the browsers it opened", async () => {
  const file = await script("long.ts", "  await sleep(600_000);");
  const args = ["run", file, "--profiles", "Shopper 1,Shopper 2", "--watch", "--json", ...at];
  const { code, stdout, stderr } = await interrupted(/^Shopper [12]: running$/m, args);
  assert.match(stderr, /cancelling the run/);
  assert.equal(code, 1, stderr);
  const { run }: { run: Run } = JSON.parse(stdout);
  assert.notEqual(run.completedAt, null);
  const capacity = () => reply<{ active: number }>("profiles", "get-capacity", ...at);
  await until("no browser", async () => (await capacity()).active === 0);
});

test("on a terminal, a progress bar and the profiles' states are redrawn in place", async () => {
  const line = [
    process.execPath,
    built,
    "run",
    await shop(),
    "--profiles",
    "Shopper 1,Shopper 2",
    "--watch",
    ...at,
  ];
  const child = spawn("script", ["-qec", line.map((word) => `'${word}'`).join(" "), "/dev/null"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let shown = "";
  child.stdout.on("data", (chunk) => {
    shown += chunk;
  });
  const [code] = await once(child, "close");
  assert.equal(code, 0, shown);
  assert.match(shown, /\[-{30}\] {2}0 of 2, 0 failed, \d running, 00:0\d/);
  assert.match(shown, /\[#{30}\] {2}2 of 2, 0 failed, 0 running/);
  assert.ok(shown.includes("\x1b[3A\x1b[J"), "three lines are redrawn");
  assert.match(shown, /completed: 2 done, 0 failed of 2/);
});
