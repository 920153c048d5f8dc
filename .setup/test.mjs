/**
 * `npm test`: lint, types, the timed tests one by one, then every other test file in two lanes, and last a look for processes left behind.
 * Arguments: `--fast` leaves out the tests that start a browser; any other word runs only the test files whose
 * path contains it, without lint and types.
 */
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { kill, leftBehind, markerName, processesOf } from "./leftovers.mjs";
import { root } from "./paths.mjs";
import { packageCommand } from "./shell.mjs";
import { filesUnder } from "./stamp.mjs";
import { makeTestDirs } from "./test-dirs.mjs";
import { installTestTools } from "./test-tools.mjs";

/** One test may take this long; the whole run that long. */
const testTimeoutMs = 120_000;
const runTimeoutMs = 15 * 60_000;
const leftoverGraceMs = 3_000;
/** Processes that run the test files without hooks, several in a row. */
const sharedProcesses = 8;

const words = process.argv.slice(2).filter((word) => word !== "--fast");
const fast = process.argv.includes("--fast");
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

function run(args, dir = disk) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, env: environmentIn(dir), stdio: "inherit" });
    child.once("error", () => resolve(1));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

const testFiles = filesUnder("test", (name) => name.endsWith(".test.ts")).filter(
  (name) => words.length === 0 || words.some((word) => name.includes(word)),
);
const needsBrowser = (name) => name.startsWith("test/browser/");

/** A file with hooks of its own keeps its own process: in one with others they would be hooks of all. */
const hasHooks = (name) => /^(before|after)(Each)?\(/m.test(readFileSync(join(root, name), "utf8"));

/**
 * Files that a few processes run, each of them several in a row. A process of its own costs every file 0.7 s of a core, to load
 * the compiler and the modules that nearly all of them share.
 */
function together(files) {
  const shared = words.length > 0 ? [] : files.filter((name) => !hasHooks(name));
  const groups = Array.from({ length: Math.min(sharedProcesses, shared.length) }, (_, group) => {
    const some = shared.filter((_name, index) => index % sharedProcesses === group);
    const entry = join(disk, `tests-${group + 1}.mjs`);
    const imports = some.map((name) => `import ${JSON.stringify(pathToFileURL(join(root, name)).href)};\n`);
    writeFileSync(entry, imports.join(""));
    return entry;
  });
  return [...groups, ...files.filter((name) => !shared.includes(name))];
}

function testStage(title, files, concurrency, dir = disk) {
  const flags = [
    "--import",
    "tsx",
    "--test",
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${testTimeoutMs}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
  ];
  return { title: `${title} (${files.length} files)`, run: () => run([...flags, ...together(files)], dir) };
}

const stages = [
  { title: "lint (biome)", run: () => run([packageCommand("@biomejs/biome", "biome"), "check", "."]) },
  { title: "types (tsc)", run: () => run([packageCommand("typescript", "tsc"), "-p", "tsconfig.json"]) },
  {
    title: "types of the control page (tsc)",
    run: () => run([packageCommand("typescript", "tsc"), "-p", "gateway/app/page"]),
  },
].filter(() => words.length === 0);
/** Tests of how long something takes, which another test on the same cores would spoil: one at a time, before all others. */
const isTimed = (name) => name.endsWith("-timed.test.ts");
const timed = testFiles.filter(isTimed);
const plain = testFiles.filter((name) => !needsBrowser(name) && !isTimed(name));
const browser = fast ? [] : testFiles.filter(needsBrowser);
// Two files at once for two cores. Three at once of the browsers' took no less time, and waits ran out.
if (timed.length > 0) stages.push(testStage("timed tests", timed, 1));
if (plain.length > 0) stages.push(testStage("tests", plain, 2));
if (browser.length > 0) stages.push(testStage("browser tests", browser, 2, quick));

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
