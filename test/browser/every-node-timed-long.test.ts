/** Each supported Node runs the fast tests and the demo, with the bundles that this Node built. It is alone, because others would slow it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../tidy/tree.ts";

/** In the names of the packages, which are programs for Linux on x64 only. */
const majors = [20, 22, 24, 26];
const others = majors.filter((major) => !process.versions.node.startsWith(`${major}.`));
const runs = process.platform === "linux" && process.arch === "x64";
const why = "the programs of other Nodes are for Linux on x64";
const programOf = (major: number) =>
  join(root, "test", "nodes", "node_modules", `node-${major}`, "bin", "node");

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-nodes-"));
  if (runs) await succeeds(process.execPath, [join(root, ".setup", "peers.mjs"), "test/nodes"]);
});
after(() => rm(dir, { recursive: true, force: true }));

/** Returns the output. Fails with its end when the program does. */
async function succeeds(program: string, args: string[]): Promise<string> {
  // Of its own: below this test's directory, paths of sockets would be too long.
  const { TMPDIR: _long, TMP: _also, TEMP: _too, NODE_TEST_CONTEXT: _ours, ...env } = process.env;
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const [code] = await once(child, "close");
  process.off("exit", end);
  assert.equal(code, 0, output.slice(-6_000));
  return output;
}

test("the package names the supported Nodes, and their programs are here", async (t) => {
  if (!runs) return t.diagnostic(why);
  const readme = await readFile(join(root, "README.md"), "utf8");
  assert.match(readme, /Node 20\.19 or newer \(20, 22, 24 and 26 are tested\)/);
  for (const major of majors)
    assert.match(await succeeds(programOf(major), ["--version"]), new RegExp(`^v${major}\\.`));
});

for (const major of others) {
  test(`Node ${major} does the demo's main job`, async (t) => {
    if (!runs) return t.diagnostic(why);
    const args = [join(root, "dist", "demo.js"), "--profiles", "2", "--output", join(dir, String(major))];
    assert.equal((await succeeds(programOf(major), args)).match(/as the shop counts/g)?.length, 2);
  });

  test(`Node ${major} passes the fast tests`, async (t) => {
    if (!runs) return t.diagnostic(why);
    await succeeds(programOf(major), [join(root, ".setup", "test.mjs"), "--fast", "--no-lint"]);
  });
}
