/** Refused settings, files and places of commands are named with what they must be, against a real service. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { defaultDataDir } from "../../gateway/instance.ts";
import { commandPlace } from "./command-place.ts";
import { command, reply } from "./in-process.ts";
import { createProfiles } from "./running.ts";

const on = commandPlace();

for (const service of ["a running service", "a stopped one"]) {
  test(`a setting's value that is refused is named with what it must be, by ${service}`, async () => {
    const place = service === "a running service" ? on.at : ["--data", join(on.files, "stopped")];
    for (const [change = "", says = ""] of [
      ["isolationMin=none", 'isolationMin must be lock, namespaces or sealed, got "none"'],
      ["apiPort=70000", "apiPort must be an integer of at most 65535, got 70000"],
      ["runProfileTimeoutMs=0", "runProfileTimeoutMs must be an integer of at least 1000, got 0"],
      ["browsersMax=5000000000", "browsersMax must be an integer of at most 4294967295, got 5000000000"],
      ["expensiveCallsMax=1e99", "expensiveCallsMax must be an integer of at most 4294967295, got 1e+99"],
      ["idleTimeoutSecs=x", 'idleTimeoutSecs must be an integer of at least 0, got "x"'],
      ["plan.flow=1", 'plan.flow must be true or false, got "1"'],
      ["plan.profilesMax=-1", 'plan.profilesMax must be an integer of at least 0, got "-1"'],
    ]) {
      const { code, stderr } = await command("settings", change, ...place);
      assert.deepEqual([stderr, code], [`troupe: invalid request: ${says}\n`, 2], change);
    }
  });
}

test("a run whose rows cannot be written is refused before it starts", async () => {
  const [profile = ""] = await createProfiles(on.running.client, 1);
  const script = join(on.files, "rows.ts");
  await writeFile(script, "export default async function run() {}\n");
  const run = (csv: string) =>
    command("run", script, "--profiles", profile, "--watch", "--csv", csv, ...on.at);
  for (const [csv, says] of [
    [
      join(on.files, "none", "x.csv"),
      /^troupe: invalid request: the directory .+none does not exist; name another with --csv$/,
    ],
    [on.files, /^troupe: invalid request: .+ is a directory; name a file with --csv$/],
  ] as const) {
    const { code, stderr } = await run(csv);
    assert.match(stderr.trimEnd(), says);
    assert.equal(code, 2);
  }
  assert.deepEqual(await reply("runs", "list", ...on.at), []);
});

test("a relative XDG_DATA_HOME is ignored, as its specification says", (t) => {
  if (process.platform !== "linux") return t.diagnostic("other systems have places of their own");
  const home = defaultDataDir({});
  for (const value of ["", "data", "./data"]) assert.equal(defaultDataDir({ XDG_DATA_HOME: value }), home);
  assert.equal(defaultDataDir({ XDG_DATA_HOME: "/somewhere" }), "/somewhere/troupe");
});

test("settings say that an option overrides them, and bounds of a request are named", async () => {
  const { stdout } = await command("settings", ...on.at);
  assert.match(stdout, /^apiEnabled +false$/m);
  assert.match(stdout, /^The API is on at http:\S+: serve --api on overrides apiEnabled and apiPort\.$/m);
  const [id] = await createProfiles(on.running.client, 1);
  for (const [path = "", rawBody = "", says = ""] of [
    ["/v1/profiles", '{"count":1e400}', "count must be an integer from 1 to 50, got Infinity"],
    [
      `/v1/profiles/${id}/launch`,
      '{"idle_timeout_secs":1e12}',
      "idle_timeout_secs must be an integer from 0 to 4294967295, got 1000000000000",
    ],
  ]) {
    const answered = await on.running.client.call("POST", path, { rawBody });
    assert.deepEqual([answered.status, answered.body], [400, { error: `invalid request: ${says}` }]);
  }
});

test("a profile in the trash is restored by its name, and a wrong name says where to look", async () => {
  const id = (await createProfiles(on.running.client, 1))[0] ?? "";
  await on.running.client.call("PATCH", `/v1/profiles/${id}`, { body: { name: "Thrown away" } });
  assert.equal((await command("profiles", "delete", "Thrown away", ...on.at)).code, 0);
  const wrong = await command("profiles", "restore", "Thrown", ...on.at);
  assert.match(wrong.stderr, /no profile in the trash has "Thrown".*troupe profiles list-trash/);
  assert.equal((await reply<{ id: string }>("profiles", "restore", "Thrown away", ...on.at)).id, id);
});

test("help and refusals name the flags for a file", async () => {
  const none = await command("profiles", "import", ...on.at);
  assert.deepEqual([none.stderr, none.code], ["troupe: --file is required, or --archive\n", 2]);
  const { stdout } = await command("profiles", "add-cookies", "--help");
  assert.match(stdout, /--cookies <json>[^-]*\(a\s+JSON array, @FILE/);
  assert.doesNotMatch(stdout, /may\s+be\s+repeated/);
});

test("a cookies.txt without its type is refused with the type", async () => {
  const id = (await createProfiles(on.running.client, 1))[0] ?? "";
  const { body } = await on.running.client.call("POST", `/v1/profiles/${id}/cookies`, {
    rawBody: "# Netscape HTTP Cookie File",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assert.match(JSON.stringify(body), /a cookies.txt is sent with Content-Type: text\/plain/);
});
