/** What a first user of the command line does: name things instead of copying ids, and learn the next command from an error. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { send } from "../../gateway/http-client.ts";
import type { Schedule } from "../../protocol/schedules.ts";
import { commandPlace } from "./command-place.ts";
import { command, reply } from "./in-process.ts";
import { createProfiles } from "./running.ts";

const on = commandPlace();

const hourly = ["--name", "hourly", "--schedule-type", "interval", "--interval-minutes", "60"];
const schedule = (script: string, profiles: string) =>
  ["schedules", "create", ...hourly, "--script-id", script, "--profile-ids", profiles, ...on.at] as const;

async function saved(name: string): Promise<string> {
  const path = join(on.files, name);
  await writeFile(path, "export default async function run() {}\n");
  const args = ["scripts", "save", "--name", name, "--source-file", path, ...on.at];
  return (await reply<{ scriptId: string }>(...args)).scriptId;
}

test("a schedule takes a script's name, and profiles by tag, slug or name", async () => {
  const names = ["--count", "2", "--name-template", "Buyer {n}", "--tags", "buyer"];
  const { created } = await reply<{ created: { profile_id: string }[] }>(
    "profiles",
    "create",
    ...names,
    ...on.at,
  );
  const ids = created.map(({ profile_id }) => profile_id);
  const scriptId = await saved("named.ts");
  await command("scripts", "approve", scriptId, ...on.at);
  for (const profiles of ["buyer", "Buyer 1,buyer-2", ids.join()]) {
    const made = await reply<Schedule>(...schedule("named.ts", profiles));
    assert.deepEqual([made.scriptId, made.profileIds.toSorted()], [scriptId, ids.toSorted()], profiles);
  }
  for (const [script = "", profiles = "", says] of [
    ["none.ts", "buyer", /^troupe: no script has "none\.ts" as id or name; see: troupe scripts list$/m],
    ["named.ts", "seller", /^troupe: --profile-ids: no profile has "seller" as id, tag, slug or name/],
  ] as const) {
    const { code, stderr } = await command(...schedule(script, profiles));
    assert.match(stderr, says);
    assert.equal(code, 2);
  }
});

test("scripts, schedules, datasets and proxy pools are named as profiles are", async () => {
  const [profile = ""] = await createProfiles(on.running.client, 1);
  const scriptId = await saved("by-name.ts");
  const approved = await command("scripts", "approve", "by-name.ts", ...on.at);
  assert.match(approved.stdout, /^Script by-name\.ts \(version 1\) is approved\.$/m);
  await command(
    "schedules",
    "create",
    ...hourly.with(1, "nightly"),
    "--script-id",
    scriptId,
    "--profile-ids",
    profile,
    ...on.at,
  );
  assert.equal(
    (await reply<Schedule>("schedules", "enable", "nightly", "--no-enabled", ...on.at)).enabled,
    false,
  );
  const columns = ["--columns", '[{"name":"a"}]'];
  await command("datasets", "create", "--name", "words", "--mode", "consume", ...columns, ...on.at);
  const twins = [0, 1].map(() =>
    command("datasets", "create", "--name", "twins", "--mode", "consume", ...columns, ...on.at),
  );
  await Promise.all(twins);
  assert.equal((await command("datasets", "reset", "words", ...on.at)).code, 0);
  for (const [args, says] of [
    [
      ["scripts", "approve", "none.ts"],
      /^troupe: no script has "none\.ts" as id or name; see: troupe scripts list$/m,
    ],
    [
      ["schedules", "run", "weekly"],
      /^troupe: no schedule has "weekly" as id or name; see: troupe schedules list$/m,
    ],
    [
      ["datasets", "reset", "twins"],
      /^troupe: 2 datasets are called twins; use an id; see: troupe datasets list$/m,
    ],
    [
      ["proxies", "test", "fast"],
      /^troupe: no proxy pool has "fast" as id or name; see: troupe proxies list$/m,
    ],
  ] as const) {
    const { code, stderr } = await command(...args, ...on.at);
    assert.match(stderr, says);
    assert.equal(code, 2);
  }
});

test("refusals name the remedy: an approval, a launch, the API switched on", async () => {
  const [profile = ""] = await createProfiles(on.running.client, 1);
  const scriptId = await saved("unapproved.ts");
  assert.match(
    (await command(...schedule("unapproved.ts", profile))).stderr,
    new RegExp(`; approve it on the control page, or with: troupe scripts approve ${scriptId}$`, "m"),
  );
  const batch = ["--script-id", scriptId, "--profile-ids", profile, ...on.at];
  assert.match(
    (await command("scripts", "run-batch", ...batch)).stderr,
    /is not approved; .*; approve it on the control page, or with: troupe scripts approve ID$/m,
  );
  assert.match(
    (await command("page", "snapshot", profile, ...on.at)).stderr,
    new RegExp(
      `${profile} is not running; launch it with: troupe profiles launch ${profile} --data .+$`,
      "m",
    ),
  );
  assert.equal((await command("token", "mint", "first", ...on.at)).stderr, "");
  await command("api", "off", ...on.at);
  assert.match((await command("token", "mint", "second", ...on.at)).stderr, /troupe api on$/m);
});

test("an empty list in a reply is shown as none", async () => {
  const { stdout } = await command("profiles", "create", "--count", "1", ...on.at);
  assert.match(stdout, /^failed {2}none\n/);
});

test("a table has no column for a proxy that is off", async () => {
  const { stdout } = await command("profiles", "list", ...on.at);
  assert.match(stdout, /^ID +NAME +SLUG/);
  assert.ok(!stdout.includes("PROXY"), stdout);
});

test("an address where nothing listens is named with the command that says more", async () => {
  await assert.rejects(send(new URL("http://127.0.0.1:9/"), { method: "GET" }), {
    message:
      "nothing listens at http://127.0.0.1:9: the service starts, stops or does not run; see: troupe status",
  });
});
