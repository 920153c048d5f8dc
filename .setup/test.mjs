/**
 * `npm test`: lint and types, timed tests in sequence, other test files in lanes, then a check for remaining processes. `--long` runs
 * only `*-long.test.ts`, without lint and types; `--no-browser` skips browser tests, `--fast` also tests that need a whole service, `--no-lint`
 * lint and types; other words select test files by path, without lint and types; `--watch` runs those again after each change until Ctrl-C.
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { kill, leftBehind, markerName, processesOf } from "./leftovers.mjs";
import { root } from "./paths.mjs";
import { packageCommand } from "./shell.mjs";
import { filesUnder } from "./stamp.mjs";
import { bundleTests, groupTests } from "./test-bundles.mjs";
import { makeTestDirs } from "./test-dirs.mjs";
import { lanes, longest, waiting } from "./test-lanes.mjs";
import { installTestTools } from "./test-tools.mjs";
import { runAfterChanges } from "./test-watch.mjs";

const leftoverGraceMs = 3_000;

const args = process.argv.slice(2);
const words = args.filter(
  (word) => !["--fast", "--long", "--no-browser", "--no-lint", "--watch"].includes(word),
);
const [fast, long, noBrowser, watch] = ["--fast", "--long", "--no-browser", "--watch"].map((flag) =>
  args.includes(flag),
);
const minuteMs = 60_000;
const { disk, quick, bundled } = makeTestDirs();
const tempDirs = [...new Set([disk, quick])];

function environmentIn(dir) {
  const env = {
    ...process.env,
    TMPDIR: dir,
    TMP: dir,
    TEMP: dir,
    // Bundles start faster; a watched test must see changed sources.
    TROUPE_THREADS: watch ? "source" : "built",
    // A test that names no data directory must not find the user's.
    XDG_DATA_HOME: join(disk, "data"),
    // Shared, or the service of each test would start its own browser to probe the engine.
    TROUPE_CACHE_DIR: join(disk, "cache"),
    [markerName]: disk,
  };
  // A test started from another test run must not report to that run.
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

/** Collects the output and prints it at the end, because another stage writes to the terminal. */
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

/** Tests that would make others wait for minutes. CI runs them after `npm test`. */
const isLong = (name) => name.endsWith("-long.test.ts");
/** Takes many minutes: only by its name, as in `npm run check:package`. */
const isOnDemand = (name) =>
  /installed-package|proxy-matrix|fleet-harness|fleet-costs|many-workers/.test(name);
const needsBrowser = (name) => name.startsWith("test/browser/") || name.startsWith("test/hostile/browser/");
/** One part and its stand-ins, or the source: test/README.md. */
const isFast = (name) => /^test\/(actors|bench|storage|tidy)\//.test(name);
const wordOf = (text) => text.replaceAll("\\", "/").replace(`${root}/`, "").replace(/^\.\//, "");
const isMeant = (name) =>
  words.length === 0
    ? isLong(name) === long && !isOnDemand(name)
    : words.some((word) => name.includes(wordOf(word)));
const chosen = filesUnder("test", (name) => name.endsWith(".test.ts")).filter(
  (name) => isMeant(name) && (!fast || isFast(name)) && (!noBrowser || !needsBrowser(name)),
);
const first = longest.filter((name) => chosen.includes(name));
const testFiles = [...first, ...chosen.filter((name) => !first.includes(name))];
const onDemand = testFiles.some(isOnDemand);
// Limits for a test that hangs: a busy machine takes several times as long as a quiet one. A file's tests have one together.
const runTimeoutMs = (onDemand ? 120 : long ? 80 : 30) * minuteMs;
const testTimeoutMs = (onDemand ? 110 : long ? 20 : 10) * minuteMs;

const failureFiles = [];
function failureReporter() {
  const file = join(disk, `failures-${failureFiles.length}`);
  failureFiles.push(file);
  return [
    `--test-reporter=${pathToFileURL(join(root, ".setup/test-failures.mjs"))}`,
    `--test-reporter-destination=${file}`,
  ];
}

function testFlags(concurrency) {
  return [
    "--test",
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${testTimeoutMs}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    ...failureReporter(),
  ];
}

/** So many a lane that lanes end together, and so few that their starts cost little, also those of browsers, which the files of a group share. */
const groupsPerLane = 2;

function testArgs(files, concurrency) {
  const long = files.filter(isLong);
  const short = files.filter((name) => !isLong(name));
  return [
    "--enable-source-maps",
    // Optimizing SQLite's WebAssembly costs each process that opens a library more than the faster code saves in a short test.
    ...(long.length > 0 ? [] : ["--liftoff-only"]),
    ...testFlags(concurrency),
    ...long.map((name) => bundles.get(name)),
    ...groupTests(short, concurrency * groupsPerLane, bundles),
  ];
}

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

const checks = {
  title: "lint (biome), promises and types (oxlint), unused code (knip)",
  async run() {
    const codes = await Promise.all([
      runBeside([packageCommand("@biomejs/biome", "biome"), "check", "."]),
      runBeside([packageCommand("oxlint"), "--type-aware", "--type-check", "."]),
      runBeside([packageCommand("knip"), "--no-progress", "--cache", "--cache-location", ".cache/knip"]),
    ]);
    return Math.max(...codes);
  },
};

const stages = words.length === 0 && !long && !args.includes("--no-lint") ? [checks] : [];
/** Timing tests: one at a time and first, because other tests would disturb them. */
const isTimed = (name) => name.endsWith("-timed-long.test.ts");
const timed = testFiles.filter(isTimed);
const plain = testFiles.filter((name) => !needsBrowser(name) && !isTimed(name));
const browser = testFiles.filter((name) => needsBrowser(name) && !isTimed(name));
const beside = words.length === 0 ? browser.filter((name) => waiting.includes(name)) : [];
const others = browser.filter((name) => !beside.includes(name));
if (timed.length > 0) stages.push(testStage("timed tests", timed, 1));
// One more lane, because some of these wait.
if (plain.length > 0) stages.push(testStage("tests", plain, lanes + 1));
if (browser.length > 0) stages.push(testStage("browser tests", others, lanes, quick, beside));

async function lookForLeftovers() {
  const left = await leftBehind(tempDirs, leftoverGraceMs);
  if (left.length === 0) return 0;
  process.stdout.write("remaining processes (killed now):\n");
  for (const { pid, command } of left) process.stdout.write(`  ${pid} ${command.slice(0, 160)}\n`);
  kill(left);
  return 1;
}

function endAll(code, why) {
  process.stdout.write(`\n${why}\n`);
  kill(processesOf(...tempDirs));
  for (const dir of [...tempDirs, bundled]) rmSync(dir, { recursive: true, force: true });
  process.exit(code);
}

for (const output of [process.stdout, process.stderr])
  output.on("error", () => endAll(1, "nobody reads the output")); // As `head` ends.
if (!watch)
  setTimeout(
    () => endAll(1, `the tests took longer than ${runTimeoutMs / minuteMs} minutes`),
    runTimeoutMs,
  ).unref();
// Not once: the terminal sends Ctrl-C to this process, and prepare.mjs forwards it too.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => endAll(130, `ended by ${signal}`));

if (watch && words.length === 0) endAll(2, "usage: npm run test:watch -- WORD…");
if (testFiles.length === 0) endAll(1, `no test file matches ${words.join(" ")}`);
stages.push({ title: "no remaining processes", run: lookForLeftovers });
await installTestTools(testFiles.some(isLong));
if (watch) await runAfterChanges(() => run(["--import", "tsx", ...testFlags(lanes), ...testFiles]));
/** By the name of the file. */
const bundles = await bundleTests(testFiles, bundled);
const failed = [];
for (const stage of stages) {
  const startMs = performance.now();
  process.stdout.write(`\n— ${stage.title}\n`);
  const code = await stage.run();
  const secs = ((performance.now() - startMs) / 1000).toFixed(1);
  process.stdout.write(`— ${stage.title}: ${code === 0 ? "ok" : "FAILED"} in ${secs} s\n`);
  if (code !== 0) failed.push(stage.title);
}
for (const file of failureFiles.filter((path) => existsSync(path))) process.stdout.write(readFileSync(file));
if (failed.length > 0) endAll(1, `FAILED: ${failed.join(", ")}`);
endAll(0, `all of ${stages.length} stages passed`);
