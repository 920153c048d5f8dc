/** The package that `npm run pack` makes, installed into an empty prefix: what it weighs, its first start, and its main job. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { followLink } from "../gateway/follow-link.ts";
import { until } from "../gateway/serve.ts";
import { citationFindings } from "../tidy/citations.ts";
import { root } from "../tidy/tree.ts";

const run = promisify(execFile);
const mb = 1e6;

let dir: string;
let archive: string;
let env: NodeJS.ProcessEnv;
const prefix = () => join(dir, "prefix");
const troupe = () => join(prefix(), "bin", "troupe");

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-package-"));
  const { TROUPE_CACHE_DIR: _shared, TROUPE_THREADS: _built, ...own } = process.env;
  env = { ...own, XDG_DATA_HOME: join(dir, "share") };
  const packed = await run(process.execPath, [join(root, ".setup", "pack.mjs"), dir]);
  archive = packed.stdout.trim();
  // Without this project's .npmrc, as a user has it.
  await run("npm", ["install", "-g", "--prefix", prefix(), "--no-audit", "--no-fund", archive], { cwd: dir });
});
after(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));

test("it has at most 5 MB, and installed at most 150 MB and 150 packages", async (t) => {
  const packed = (await stat(archive)).size / mb;
  const names = await readdir(prefix(), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const installed = sizes.reduce((sum, size) => sum + size, 0) / mb;
  const packages = files.filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file));
  t.diagnostic(
    `${packed.toFixed(1)} MB, ${installed.toFixed(0)} MB and ${packages.length} packages installed`,
  );
  assert.ok(packed <= 5 && installed <= 150 && packages.length <= 150);
});

test("it has no source, test, benchmark or script of its own, and runs nothing when it is installed", async () => {
  const own = join(prefix(), "lib", "node_modules", "troupe");
  const { scripts, devDependencies } = JSON.parse(await readFile(join(own, "package.json"), "utf8"));
  assert.deepEqual([scripts, devDependencies], [undefined, undefined]);
  const { stdout } = await run("tar", ["tzf", archive]);
  const names = stdout.trim().split("\n");
  const others = names.filter(
    (name) =>
      !/^package\/(dist\/|.*\.md$|LICENSE$|package\.json$|npm-shrinkwrap\.json$|\.github\/|protocol\/)/.test(
        name,
      ),
  );
  assert.deepEqual(others, []);
  assert.deepEqual(
    names.filter((name) => /\/(test|bench)\/.*(?<!\.md)$|\.map$|bench\.js$/.test(name)),
    [],
  );
});

test("every link of its documents leads to a file and a heading of the package", async () => {
  const own = join(prefix(), "lib", "node_modules", "troupe");
  const read = (path: string) => (existsSync(join(own, path)) ? readFileSync(join(own, path), "utf8") : null);
  const names = await readdir(own, { recursive: true });
  const documents = names.filter((name) => name.endsWith(".md") && !name.includes("node_modules"));
  assert.ok(documents.length > 10);
  assert.deepEqual(
    documents.flatMap((path) => citationFindings(path, read(path) ?? "", read)),
    [],
  );
});

test("without a word it starts the service, and once more it prints another link", async () => {
  const child = spawn(troupe(), [], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  try {
    await until("the service says its link", () => /works once[^\n]*\n/.test(output));
    const { stdout } = await run(troupe(), [], { env });
    assert.equal((await followLink(stdout.trim())).statusCode, 200);
    const caches = join(dir, "share", "troupe", "cache", "libraries");
    await until("a code cache of this Node is made", async () => {
      const names = await readdir(caches, { recursive: true }).catch(() => []);
      return names.some((name) => name.endsWith(`${process.version}/playwright-512`));
    });
  } finally {
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    assert.equal(code, 0, output);
  }
});

test("it does the demo's main job", async () => {
  const { stdout } = await run(troupe(), ["demo", "--profiles", "2", "--output", join(dir, "pictures")], {
    env,
    cwd: dir,
  });
  assert.equal(stdout.match(/as the shop counts/g)?.length, 2, stdout);
  assert.deepEqual((await readdir(join(dir, "pictures"))).toSorted(), ["shopper-1.png", "shopper-2.png"]);
});

test("it answers with its version, and its types are found under their name", async () => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  assert.equal((await run(troupe(), ["--version"])).stdout, `${version}\n`);
  assert.match((await run(troupe(), ["scripts", "types"])).stdout, /interface ScriptContext/);
});
