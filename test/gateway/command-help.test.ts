/** Commands generated from the route records: their names, help and shell completion. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { grammar } from "../../gateway/cli/grammar.ts";
import { commandOf, kebab } from "../../gateway/cli/route-names.ts";
import { routes } from "../../gateway/routes/all.ts";
import { schemas } from "../../gateway/schemas.ts";
import { command } from "./in-process.ts";

const dashed = (key: string) => `--${kebab(key)}`;
const flat = (text: string) => text.replace(/\s+/g, " ");

test("every operation has its own command, whose help has its summary, its arguments and every field", async () => {
  const seen = new Set<string>();
  for (const route of routes) {
    const { group, name } = commandOf(route);
    seen.add(`${group} ${name}`);
    const { code, stdout } = await command(group, name, "--help");
    assert.equal(code, 0, route.id);
    assert.ok(stdout.startsWith(`Usage: troupe ${group}`), `${route.id}: ${stdout.slice(0, 80)}`);
    const help = flat(stdout);
    assert.ok(help.includes(flat(route.summary)), route.id);
    assert.ok(help.includes(`Calls ${route.method} ${route.path} (${route.access}).`), route.id);
    if (route.params !== null) assert.ok(stdout.includes("<id>"), route.id);
    for (const shape of [route.query, route.body]) {
      for (const [key, property] of Object.entries((shape && schemas[shape]?.properties) || {})) {
        assert.ok(stdout.includes(dashed(key)), `${route.id}: ${key}`);
        assert.ok(help.includes(flat(property.description ?? "")), `${route.id}: ${key} is described`);
      }
    }
  }
  assert.equal(seen.size, routes.length);
});

test("names are regular: the group is the tag, the command the id without the group's noun", () => {
  const names = (
    ["listProfiles", "launchProfile", "listDatasetRows", "testProxyPool", "waitForElement"] as const
  ).map((id) => {
    const route = routes.find((candidate) => candidate.id === id);
    assert.ok(route, id);
    return Object.values(commandOf(route)).join(" ");
  });
  assert.deepEqual(names, [
    "profiles list",
    "profiles launch",
    "datasets list-rows",
    "proxies test",
    "page wait-for-element",
  ]);
});

test("a group has its old name as an alias", async () => {
  assert.match((await command("script", "--help")).stdout, /\bapprove\b[\s\S]*\btypes\b/);
  assert.match((await command("proxy", "--help")).stdout, /\brotating\b[\s\S]*\bexit\b/);
});

async function offered(script: string, ...words: string[]): Promise<string[]> {
  const program = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _troupe; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", program, script, "troupe", ...words]);
  return stdout.split("\n").filter((word) => word !== "");
}

test("bash completes groups, commands, flags and the values of a flag", async () => {
  const folder = await mkdtemp(join(tmpdir(), "troupe-completion-"));
  const script = join(folder, "troupe.bash");
  try {
    await writeFile(script, (await command("completion", "bash")).stdout);
    assert.deepEqual(await offered(script, "prof"), ["profiles"]);
    assert.deepEqual(await offered(script, "profiles", "la"), ["launch"]);
    assert.deepEqual(await offered(script, "proxy", "rot"), ["rotating"]);
    assert.deepEqual(await offered(script, "profiles", "launch", "ID", "--head"), ["--headless"]);
    assert.deepEqual(await offered(script, "page", "scroll", "ID", "--direction", ""), [
      "left",
      "right",
      "up",
      "down",
    ]);
    assert.deepEqual(await offered(script, "page", "scroll", "ID", "--direction", "="), [
      "left",
      "right",
      "up",
      "down",
    ]);
    assert.deepEqual(await offered(script, "page", "scroll", "ID", "--direction", "=", "u"), ["up"]);
    assert.deepEqual(await offered(script, "run", "profiles", "--conc"), ["--concurrency"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("each shell's completion names every command", async () => {
  const names = grammar().commands.flatMap((group) =>
    group.commands.length === 0 ? [group.name()] : group.commands.map((sub) => sub.name()),
  );
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await command("completion", shell);
    assert.equal(code, 0);
    for (const name of names) assert.ok(stdout.includes(name), `${shell}: ${name}`);
  }
  assert.equal((await command("completion", "cmd")).code, 2);
});
