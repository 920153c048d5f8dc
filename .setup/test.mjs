/**
 * `npm test`: lint and types, the timed tests one by one, then the other test files in lanes, and last a look for processes left behind.
 * Arguments: `--long` runs the files named `*-long.test.ts` instead of all others, without lint and types; `--fast` leaves out the
 * tests that start a browser; any other word runs only the test files whose path contains it, without lint and types.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { kill, leftBehind, markerName, processesOf } from "./leftovers.mjs";
import { root } from "./paths.mjs";
import { packageCommand } from "./shell.mjs";
import { filesUnder } from "./stamp.mjs";
import { makeTestDirs } from "./test-dirs.mjs";
import { lanes, longest, waiting } from "./test-lanes.mjs";
import { installTestTools } from "./test-tools.mjs";

/** The whole run may take this long. */
const runTimeoutMs = 35 * 60_000;
const leftoverGraceMs = 3_000;
/** Processes that run the test files without hooks, several in a row. */
const sharedProcesses = 8;

const words = process.argv.slice(2).filter((word) => !["--fast", "--long"].includes(word));
const fast = process.argv.includes("--fast");
const long = process.argv.includes("--long");
/** One test file may take this long. */
const testTimeoutMs = 300_000;
const { disk, quick } = makeTestDirs();
const tempDirs = [...new Set([disk, quick])];

function environmentIn(dir) {
  const env = {
    ...process.env,
    TMPDIR: dir,
    TMP: dir,
    TEMP: dir,
    TROUPE_THREADS: "built",
    // Else each service of a test would start a browser more, to learn what all of them are told.
    TROUPE_CACHE_DIR: join(disk, "cache"),
    [markerName]: disk,
  };
  // A test started from within a test run must not report to that run.
  delete env.NODE_TEST_CONTEXT;
  return env;
}

function run(args, dir = disk, stdio = "inherit") {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, env: environmentIn(dir), stdio });
    child.once("error", () => resolve(1));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Beside something else that writes to the terminal: its own words come at its end, in one piece. */
async function runBeside(args, dir = disk) {
  besides += 1;
  const path = join(disk, `beside-${besides}`);
  const file = openSync(path, "w");
  const code = await run(args, dir, ["ignore", file, file]);
  closeSync(file);
  process.stdout.write(readFileSync(path));
  return code;
}
let besides = 0;

/** Tests that do a thing so many times, or press so many buttons, that all others would wait minutes for them: CI runs them after `npm test`. */
const isLong = (name) => name.endsWith("-long.test.ts");
const testFiles = filesUnder("test", (name) => name.endsWith(".test.ts")).filter((name) =>
  words.length === 0 ? isLong(name) === long : words.some((word) => name.includes(word)),
);
const needsBrowser = (name) => name.startsWith("test/browser/") || name.startsWith("test/hostile/browser/");

/** A file with hooks of its own keeps its own process: in one with others they would be hooks of all. */
const hasHooks = (name) => /^(before|after)(Each)?\(/m.test(readFileSync(join(root, name), "utf8"));

/**
 * What each process of a stage runs, in the order in which they are to start: the longest files, then the few processes that share the
 * files without hooks, then the rest. A process of its own costs every file 0.7 s of a core, to load the compiler and the modules
 * that nearly all of them share.
 */
function entriesOf(files) {
  const first = longest.filter((name) => files.includes(name));
  const rest = files.filter((name) => !first.includes(name));
  const shared = words.length > 0 ? [] : rest.filter((name) => !hasHooks(name));
  const groups = Array.from({ length: Math.min(sharedProcesses, shared.length) }, (_, group) =>
    shared.filter((_name, index) => index % sharedProcesses === group),
  );
  const alone = rest.filter((name) => !shared.includes(name)).map((name) => [name]);
  return [...first.map((name) => [name]), ...groups, ...alone].map(entryOf);
}

/** A module of its own for each process, named by its turn: the runner sorts them. */
function entryOf(files) {
  entryCount += 1;
  const entry = join(disk, `tests-${String(entryCount).padStart(3, "0")}.mjs`);
  const imports = files.map((name) => `import ${JSON.stringify(pathToFileURL(join(root, name)).href)};\n`);
  writeFileSync(entry, imports.join(""));
  return entry;
}
let entryCount = 0;

function testArgs(files, concurrency) {
  const flags = [
    "--import",
    "tsx",
    "--test",
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${testTimeoutMs}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
  ];
  return [...flags, ...entriesOf(files)];
}

/** `beside`: files that go one after another in a lane of their own. */
function testStage(title, files, concurrency, dir = disk, beside = []) {
  return {
    title: `${title} (${files.length + beside.length} files)`,
    async run() {
      const codes = [run(testArgs(files, concurrency), dir)];
      if (beside.length > 0) codes.push(runBeside(testArgs(beside, 1), dir));
      return Math.max(...(await Promise.all(codes)));
    },
  };
}

/** At once: the types of everything take one core a quarter of a minute, and the others share the rest. */
const checks = {
  title: "lint (biome, oxlint), types (tsc)",
  async run() {
    const codes = await Promise.all([
      runBeside([packageCommand("@biomejs/biome", "biome"), "check", "."]),
      runBeside([packageCommand("oxlint"), "--type-aware", "."]),
      runBeside([packageCommand("typescript", "tsc"), "-p", "tsconfig.json"]),
      runBeside([packageCommand("typescript", "tsc"), "-p", "gateway/app/page"]),
    ]);
    return Math.max(...codes);
  },
};

const stages = words.length === 0 && !long ? [checks] : [];
/** Tests of how long something takes, which another test on the same cores would spoil: one at a time, before all others. */
const isTimed = (name) => name.endsWith("-timed-long.test.ts");
const timed = testFiles.filter(isTimed);
const plain = testFiles.filter((name) => !needsBrowser(name) && !isTimed(name));
const browser = fast ? [] : testFiles.filter(needsBrowser);
const beside = words.length === 0 ? browser.filter((name) => waiting.includes(name)) : [];
const others = browser.filter((name) => !beside.includes(name));
if (timed.length > 0) stages.push(testStage("timed tests", timed, 1));
if (plain.length > 0) stages.push(testStage("tests", plain, lanes));
if (browser.length > 0) stages.push(testStage("browser tests", others, lanes, quick, beside));

async function lookForLeftovers() {
  const left = await leftBehind(tempDirs, leftoverGraceMs);
  if (left.length === 0) return 0;
  process.stdout.write("processes left behind (ended now):\n");
  for (const { pid, command } of left) process.stdout.write(`  ${pid} ${command.slice(0, 160)}\n`);
  kill(left);
  return 1;
}

/** Everything that this run started, and its temporary directories, are gone when this process is. */
function endAll(code, why) {
  process.stdout.write(`\n${why}\n`);
  kill(processesOf(...tempDirs));
  for (const dir of tempDirs) rmSync(dir, { recursive: true, force: true });
  process.exit(code);
}

setTimeout(
  () => endAll(1, `the tests took longer than ${runTimeoutMs / 60_000} minutes`),
  runTimeoutMs,
).unref();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => endAll(130, `ended by ${signal}`));

if (testFiles.length === 0) endAll(1, `no test file matches ${words.join(" ")}`);
stages.push({ title: "no process left behind", run: lookForLeftovers });
await installTestTools();
const failed = [];
for (const stage of stages) {
  const startMs = performance.now();
  process.stdout.write(`\n— ${stage.title}\n`);
  const code = await stage.run();
  const secs = ((performance.now() - startMs) / 1000).toFixed(1);
  process.stdout.write(`— ${stage.title}: ${code === 0 ? "ok" : "FAILED"} in ${secs} s\n`);
  if (code !== 0) failed.push(stage.title);
}
if (failed.length > 0) endAll(1, `FAILED: ${failed.join(", ")}`);
endAll(0, `all of ${stages.length} stages passed`);
