/** The parts of the set-up, in a copy: its lock, its stamps, its install, and how it recognises a run's processes. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { defaultDataDir } from "../../gateway/instance.ts";
import { root } from "./tree.ts";

const platforms = ["linux", "darwin", "win32"] as const;
let copy = "";
before(() => {
  copy = mkdtempSync(join(tmpdir(), "troupe-setup-"));
  cpSync(join(root, ".setup"), join(copy, ".setup"), { recursive: true });
  mkdirSync(join(copy, "protocol"));
  cpSync(join(root, "protocol", "chromium-places.json"), join(copy, "protocol", "chromium-places.json"));
});
after(() => rmSync(copy, { recursive: true, force: true }));

/** Runs a module's text in the copy, with the set-up at `./.setup/`. Returns its output. */
async function runInCopy(text: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", text], {
    cwd: copy,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const [code] = await once(child, "close");
  return { code, stdout: stdout.trim(), stderr: stderr.trim(), pid: child.pid };
}

describe("the lock of the set-up", () => {
  const lockFile = () => join(copy, ".cache", "setup.lock");
  const hold = `
    import { appendFileSync } from "node:fs";
    import { withLock } from "./.setup/lock.mjs";
    await withLock(async () => {
      appendFileSync("holders", "in ");
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      appendFileSync("holders", "out ");
    });`;

  test("admits one process at a time, and is removed afterwards", async () => {
    await Promise.all([1, 2, 3, 4].map(() => runInCopy(hold)));
    assert.equal(readFileSync(join(copy, "holders"), "utf8").trim(), "in out in out in out in out");
    assert.equal(existsSync(lockFile()), false);
  });

  test("is taken over from an owner that has exited, also when its process id is in use again", async () => {
    const dead = await runInCopy("");
    for (const owner of [`${dead.pid} 1`, `${process.pid} 1`]) {
      writeFileSync(lockFile(), owner);
      const { code, stderr } = await runInCopy(hold);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.equal(existsSync(lockFile()), false);
    }
  });

  test("is released when the work throws", async () => {
    const { code } = await runInCopy(`
      import { withLock } from "./.setup/lock.mjs";
      await withLock(() => { throw new Error("no"); });`);
    assert.equal(code, 1);
    assert.equal(existsSync(lockFile()), false);
  });
});

describe("a stamp", () => {
  const state = async (input: string) => {
    writeFileSync(join(copy, "input.txt"), input);
    const { stdout } = await runInCopy(`
      import { hashOf, isStamped } from "./.setup/stamp.mjs";
      process.stdout.write(String(isStamped("step", hashOf(["input.txt"]), ["output.txt"])));`);
    return stdout;
  };

  test("is valid for the same input while the output exists", async () => {
    assert.equal(await state("one"), "false");
    writeFileSync(join(copy, "output.txt"), "made");
    await runInCopy(`
      import { hashOf, stamp } from "./.setup/stamp.mjs";
      stamp("step", hashOf(["input.txt"]));`);
    assert.equal(await state("one"), "true");
    assert.equal(await state("two"), "false");
    assert.equal(await state("one"), "true");
    rmSync(join(copy, "output.txt"));
    assert.equal(await state("one"), "false");
  });
});

describe("the tables of page verbs", () => {
  const makeTables = () =>
    runInCopy(`
      import { sayFailure } from "./.setup/say.mjs";
      import { writeVerbTables } from "./.setup/verb-tables.mjs";
      try { writeVerbTables(); } catch (failure) { sayFailure(failure); }`);
  const add = (file: string, text: string) => {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  };

  test("are made from the files of each verb, and name the one that is missing", async () => {
    add("protocol/verbs/look-up.ts", "export interface LookUp {}");
    assert.match((await makeTables()).stderr, /look-up\.ts must export LookUpBody or LookUpQuery/);
    add("protocol/verbs/look-up.ts", "export interface LookUpQuery {}");
    assert.match((await makeTables()).stderr, /actors\/profile\/page\/look-up\.ts is missing/);
    add("actors/profile/page/look-up.ts", "");
    assert.equal((await makeTables()).stderr, "");
    const table = readFileSync(join(copy, "protocol", "generated", "verb-table.ts"), "utf8");
    assert.match(
      table,
      /lookUp: \{ \.\.\.lookUpVerb, name: "look-up", input: "LookUpQuery", schema: "PageReply" \}/,
    );
  });
});

describe("the install", () => {
  const lock = (packages: object) => JSON.stringify({ packages: { "": { name: "a" }, ...packages } });
  const isInstalled = async (wanted: object, present: object) => {
    mkdirSync(join(copy, "node_modules"), { recursive: true });
    writeFileSync(join(copy, "package-lock.json"), lock(wanted));
    writeFileSync(join(copy, "node_modules", ".package-lock.json"), lock(present));
    const { stdout } = await runInCopy(`
      import { isInstalled } from "./.setup/install.mjs";
      process.stdout.write(String(isInstalled()));`);
    return stdout === "true";
  };
  const a = { "node_modules/a": { version: "1.0.0" } };
  const other = { "node_modules/b": { version: "1.0.0", optional: true } };

  test("is complete when every package has its version; optional packages may be missing", async () => {
    assert.equal(await isInstalled({ ...a, ...other }, a), true);
    assert.equal(await isInstalled({ ...a, ...other }, other), false);
    assert.equal(await isInstalled({ "node_modules/a": { version: "1.0.1" } }, a), false);
  });

  test("of another manifest is searched in its own folder", async () => {
    mkdirSync(join(copy, "bench", "node_modules"), { recursive: true });
    writeFileSync(join(copy, "bench", "package-lock.json"), lock(a));
    const state = () =>
      runInCopy(`
      import { isInstalled } from "./.setup/install.mjs";
      process.stdout.write(String(isInstalled("bench")));`);
    assert.equal((await state()).stdout, "false");
    writeFileSync(join(copy, "bench", "node_modules", ".package-lock.json"), lock(a));
    assert.equal((await state()).stdout, "true");
  });
});

describe("the input files of a stamp", () => {
  test("exclude installed packages", async () => {
    mkdirSync(join(copy, "sources", "node_modules", "a"), { recursive: true });
    for (const file of ["own.ts", "node_modules/a/theirs.ts"]) writeFileSync(join(copy, "sources", file), "");
    const { stdout } = await runInCopy(`
      import { filesUnder } from "./.setup/stamp.mjs";
      process.stdout.write(filesUnder("sources", () => true).join(" "));`);
    assert.equal(stdout, "sources/own.ts");
  });
});

describe("the search for a Chromium", () => {
  const find = (env: Record<string, string>) =>
    runInCopy(
      `
      import { sayFailure } from "./.setup/say.mjs";
      import { findChromium, usualPlaces } from "./.setup/find-chromium.mjs";
      try { process.stdout.write(JSON.stringify([findChromium(), usualPlaces("win32", { LOCALAPPDATA: "C:\\\\Data" })])); }
      catch (failure) { sayFailure(failure); process.exitCode = 1; }`,
      env,
    );

  test("uses CHROMIUM_PATH, and fails with a remedy when it is not an executable file", async () => {
    const { stdout } = await find({ CHROMIUM_PATH: process.execPath });
    assert.deepEqual(JSON.parse(stdout)[0], process.execPath);
    const wrong = await find({ CHROMIUM_PATH: join(copy, "absent") });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /failed: CHROMIUM_PATH is .*absent, which is not an executable file/);
    assert.match(wrong.stderr, /remedy: /);
  });

  test("leaves out folders whose environment variable is not set", async () => {
    const { stdout } = await find({ CHROMIUM_PATH: process.execPath });
    assert.deepEqual(JSON.parse(stdout)[1], [
      "C:\\Data\\Google\\Chrome\\Application\\chrome.exe",
      "C:\\Data\\Chromium\\Application\\chrome.exe",
    ]);
  });
});

test("the set-up and the service agree on the user's data directory of each platform", async () => {
  const env = { XDG_DATA_HOME: "/data", LOCALAPPDATA: "/local" };
  const { stdout } = await runInCopy(`
    import { userDataDir } from "./.setup/paths.mjs";
    process.stdout.write(JSON.stringify(${JSON.stringify(platforms)}.map((one) => userDataDir(one, ${JSON.stringify(env)}))));`);
  assert.deepEqual(
    JSON.parse(stdout),
    platforms.map((one) => defaultDataDir(env, one)),
  );
});

describe("the environment of a command", () => {
  const environmentOf = async (env: object) => {
    const { stdout } = await runInCopy(`
      import { commandEnvironment } from "./.setup/environment.mjs";
      process.stdout.write(JSON.stringify(commandEnvironment(${JSON.stringify(env)})));`);
    const { MALLOC_MMAP_THRESHOLD_, MALLOC_TRIM_THRESHOLD_, ...rest } = JSON.parse(stdout);
    return { memory: [MALLOC_MMAP_THRESHOLD_, MALLOC_TRIM_THRESHOLD_], rest };
  };

  test("makes glibc return freed memory early, unless the user set the thresholds", async () => {
    const usual = process.platform === "linux" ? "131072" : undefined;
    assert.deepEqual(await environmentOf({ HOME: "/h" }), {
      memory: [usual, usual],
      rest: { HOME: "/h" },
    });
    const own = { MALLOC_MMAP_THRESHOLD_: "1", MALLOC_TRIM_THRESHOLD_: "2" };
    assert.deepEqual((await environmentOf(own)).memory, ["1", "2"]);
  });
});

describe("processes of a test run", { concurrency: false }, () => {
  const wait = "process.stdout.write('up'); setInterval(() => {}, 1000)";

  async function isFound(command: string[], env: Record<string, string>, cwd: string, runDir: string) {
    const child = spawn(process.execPath, ["-e", wait, "--", ...command], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    const { stdout } = await runInCopy(
      `
      import { processesOf } from "./.setup/leftovers.mjs";
      process.stdout.write(processesOf(process.env.RUN_DIR).map(({ pid }) => pid).join(" "));`,
      { RUN_DIR: runDir },
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    return stdout.split(" ").includes(String(child.pid));
  }

  test("are recognised by the marker, their command line or their working directory", async () => {
    const runDir = mkdtempSync(join(copy, "run-"));
    assert.equal(await isFound([], { TROUPE_TEST_RUN: runDir }, root, runDir), true);
    assert.equal(await isFound([`--data=${runDir}/a`], {}, root, runDir), true);
    assert.equal(await isFound([], {}, runDir, runDir), true);
    assert.equal(await isFound([], { TROUPE_TEST_RUN: `${runDir}-other` }, root, runDir), false);
  });
});

test("CI runs the default tests and the long tests", () => {
  const commands = readFileSync(join(root, ".ci", "run"), "utf8").split("\n");
  assert.deepEqual(
    commands.filter((line) => line.startsWith("npm")),
    ["npm test", "npm run test:long"],
  );
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.equal(scripts["test:long"], `${scripts.test} --long`);
});

test("every test file that the lanes name exists", async () => {
  const { stdout } = await runInCopy(`
    import { longest, waiting } from "./.setup/test-lanes.mjs";
    process.stdout.write([...longest, ...waiting].join(" "));`);
  const names = stdout.split(" ");
  assert.equal(names.length > 2, true);
  assert.deepEqual(
    names.filter((name) => !existsSync(join(root, name))),
    [],
  );
});

test("the package has what the build made and its page's parts, and nothing else that lies in dist/", async () => {
  const built = ["dist/troupe.js", "dist/bench.js", "dist/batch-cluster.js", "dist/page/main.js"];
  const present = [
    "dist/page/part-AB12CD34.js",
    "dist/page/part-old.js",
    "dist/page/main.js",
    "dist/page/a.png",
  ];
  const { stdout } = await runInCopy(
    `import { packedFiles } from "./.setup/packed-files.mjs";
     console.log(JSON.stringify(packedFiles(${JSON.stringify(built)}, ${JSON.stringify(present)})));`,
  );
  assert.deepEqual(JSON.parse(stdout), ["dist/troupe.js", "dist/page/main.js", "dist/page/part-AB12CD34.js"]);
});
