/** What `troupe service install` gives to systemd, launchd and the task scheduler; and what `troupe update` says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { carried, lastingNode, type Unit, unitFor } from "../../gateway/cli/kept-unit.ts";
import { newerBy } from "../../gateway/cli/update-command.ts";
import { command } from "./in-process.ts";

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-kept-"));
});
after(() => rm(dir, { recursive: true, force: true }));

const places = {
  linux: {
    home: "/srv/ada",
    node: process.execPath,
    command: "/opt/a b/100%/troupe.js",
    dataDir: '/data/"x"$y',
  },
  darwin: { home: "/srv/ada", node: "/opt/node", command: "/opt/<troupe>.js", dataDir: "/srv/ada/A & B" },
  win32: {
    home: "C:\\Users\\ada",
    node: "C:\\Program Files\\nodejs\\node.exe",
    command: "C:\\npm\\troupe.js",
    dataDir: "C:\\My Data",
  },
} as const;

const env = { CHROMIUM_PATH: '/opt/100% "$a"/chrome', TROUPE_LOG: "debug:pool,cdp" };

function unit(platform: keyof typeof places): Unit {
  const made = unitFor({ platform, uid: 501, env, ...places[platform] });
  assert.ok(made);
  return made;
}

test("systemd accepts the unit, restarts it after a failure, and not when the same start would fail again", async (t) => {
  const { file, text, on } = unit("linux");
  assert.equal(file, "/srv/ada/.config/systemd/user/troupe.service");
  assert.match(text, /^Restart=on-failure$/m);
  assert.match(text, /^RestartPreventExitStatus=2 3 6 7 9 10 11 12$/m);
  assert.deepEqual(on.at(-1), ["systemctl", "--user", "enable", "--now", "troupe.service"]);
  if (!existsSync("/usr/bin/systemd-analyze")) return t.diagnostic("systemd-analyze is not here");
  const path = join(dir, "troupe.service");
  await writeFile(path, text);
  const env = { ...process.env, XDG_RUNTIME_DIR: dir };
  const verify = ["verify", "--user", path];
  const { status, stderr } = spawnSync("systemd-analyze", verify, { encoding: "utf8", env });
  assert.deepEqual(
    [status, stderr.split("\n").filter((line) => line.includes("troupe.service"))],
    [0, []],
    stderr,
  );
});

test("the service gets what this terminal sets for it, and what a unit starts is read back from it", () => {
  const seen = carried({ CHROMIUM_PATH: "bin/chrome", TROUPE_LOG: "debug", XDG_DATA_HOME: "", SECRET: "x" });
  assert.deepEqual(seen, { CHROMIUM_PATH: resolve("bin/chrome"), TROUPE_LOG: "debug" });
  const { text } = unit("linux");
  assert.ok(text.includes('\nEnvironment="CHROMIUM_PATH=/opt/100%% \\"$a\\"/chrome"\n'), text);
  assert.match(unit("darwin").text, /<key>CHROMIUM_PATH<\/key><string>\/opt\/100% &quot;\$a&quot;\/chrome</);
  for (const platform of ["linux", "darwin"] as const) {
    const { node, command, dataDir } = places[platform];
    const { wordsIn, text } = unit(platform);
    assert.deepEqual(wordsIn(text), [node, command, "serve", "--data", dataDir]);
    assert.deepEqual(wordsIn("[Service]\n"), []);
  }
});

test("a unit names Homebrew's lasting link to Node, because each upgrade removes the old version", () => {
  const brewed = "/opt/homebrew/Cellar/node@22/22.1.0_1/bin/node";
  assert.equal(
    lastingNode(brewed, () => true),
    "/opt/homebrew/opt/node@22/bin/node",
  );
  assert.equal(
    lastingNode(brewed, () => false),
    brewed,
  );
  assert.equal(
    lastingNode("/usr/bin/node", () => true),
    "/usr/bin/node",
  );
});

/** Runs the command as a user with this home, where systemctl ends with `systemctl`. */
async function atHome(home: string, words: readonly string[], systemctl = 0) {
  const before = { ...process.env };
  await mkdir(join(dir, "bin"), { recursive: true });
  await writeFile(join(dir, "bin", "systemctl"), `#!/bin/sh\nexit ${systemctl}\n`, { mode: 0o755 });
  process.env.HOME = home;
  process.env.PATH = `${join(dir, "bin")}:${before.PATH}`;
  delete process.env.XDG_DATA_HOME;
  try {
    return await command("service", ...words);
  } finally {
    for (const name of ["HOME", "PATH", "XDG_DATA_HOME"])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  }
}

test("a second installation for another directory is refused, and status says what the first one serves", {
  skip: process.platform !== "linux" && "the system's own commands would run",
}, async () => {
  const home = join(dir, "ho me%$x");
  const [one, two] = [join(home, "one"), join(home, "two")];
  assert.equal((await atHome(home, ["install", "--data", one])).code, 0);
  const again = await atHome(home, ["install", "--data", two]);
  assert.match(
    again.stderr,
    /keeps a service on .*one running, and keeps one only; first run: troupe service uninstall/,
  );
  assert.match(
    (await atHome(home, ["status", "--data", two])).stdout,
    /^it serves another directory: .*one$/m,
  );
  assert.match(
    (await atHome(home, ["status"])).stdout,
    /^not running; its log is .*one\/logs\/troupe\.log$/m,
  );
  const file = join(home, ".config/systemd/user/troupe.service");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(process.execPath, "/opt/gone/node"));
  assert.match(
    (await atHome(home, ["status"])).stdout,
    /^it cannot start: \/opt\/gone\/node is gone; run: troupe service uninstall, then: troupe service install$/m,
  );
  assert.equal((await atHome(home, ["uninstall"])).code, 0);
  assert.equal((await atHome(home, ["install", "--data", two])).code, 0);
});

test("an installation that systemd refuses leaves nothing, and another program's unit stays", {
  skip: process.platform !== "linux" && "the system's own commands would run",
}, async () => {
  const home = join(dir, "refused");
  const file = join(home, ".config/systemd/user/troupe.service");
  const data = join(home, "data");
  const refused = await atHome(home, ["install", "--data", data], 1);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /nothing is installed, .*log in as this user.*troupe serve --data .*data$/m);
  assert.ok(!existsSync(file));
  const foreign = "[Service]\nExecStart=/bin/true\n";
  await writeFile(file, foreign);
  for (const word of ["install", "uninstall"])
    assert.match(
      (await atHome(home, [word, "--data", data])).stderr,
      /was not written by troupe service install; move it away/,
    );
  assert.equal(await readFile(file, "utf8"), foreign);
});

test("launchd and the task scheduler get well-formed XML with every argument", () => {
  const mac = unit("darwin");
  assert.match(
    mac.text,
    /<string>\/opt\/&lt;troupe&gt;\.js<\/string>[\s\S]*<string>\/srv\/ada\/A &amp; B<\/string>/,
  );
  assert.match(mac.text, /<key>KeepAlive<\/key><dict><key>SuccessfulExit<\/key><false\/><\/dict>/);
  assert.deepEqual(mac.off, [["launchctl", "bootout", "gui/501/local.troupe"]]);
  const windows = unit("win32");
  assert.equal(windows.file, "C:\\My Data\\troupe-task.xml");
  assert.match(windows.text, /<Command>C:\\Program Files\\nodejs\\node\.exe<\/Command>/);
  assert.match(
    windows.text,
    /<Arguments>C:\\npm\\troupe\.js serve --data &quot;C:\\My Data&quot;<\/Arguments>/,
  );
  for (const { text } of [mac, windows]) {
    const open = [...text.matchAll(/<([a-zA-Z]+)(?: [^>]*[^>/])?>/g)].map(([, name]) => name);
    const closed = [...text.matchAll(/<\/([a-zA-Z]+)>/g)].map(([, name]) => name);
    assert.deepEqual(open.toSorted(), closed.toSorted());
  }
  assert.equal(unitFor({ platform: "aix", uid: 1, env, ...places.linux }), null);
});

test("without an installation, status and uninstall say so and name the next command", async () => {
  const home = process.env.HOME;
  process.env.HOME = dir;
  try {
    const status = await command("service", "status", "--data", join(dir, "none"));
    assert.match(
      status.stdout,
      /^not installed; install it with: troupe service install\nnot running; its log is /,
    );
    assert.match(
      (await command("service", "uninstall")).stdout,
      /^It is not installed: there is no .*troupe\.service\.$/m,
    );
  } finally {
    process.env.HOME = home;
  }
});

/** A registry with one package; npm itself asks it. */
async function updateSays(versions: Record<string, object>): Promise<string> {
  const latest = Object.keys(versions).at(-1);
  const server = createServer((_request, response) => {
    const known = latest !== undefined;
    response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
    response.end(
      JSON.stringify(known ? { name: "troupe", "dist-tags": { latest }, versions } : { error: "not_found" }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const before = { ...process.env };
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  Object.assign(process.env, { npm_config_registry: registry, npm_config_cache: join(dir, "npm") });
  try {
    const { code, stdout, stderr } = await command("update");
    assert.equal(code, 0, stderr);
    return stdout;
  } finally {
    for (const name of ["npm_config_registry", "npm_config_cache"])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    server.close();
  }
}

const release = (version: string, bin: string) => ({
  [version]: {
    name: "troupe",
    version,
    bin: { troupe: bin },
    dist: { tarball: "http://127.0.0.1/none.tgz", shasum: "0" },
  },
});

test("update names a newer release and its command, and no package that only has the name", async () => {
  assert.match(
    await updateSays(release("99.1.0", "dist/troupe.js")),
    /^Troupe 99\.1\.0 is newer than \d+\.\d+\.\d+, which is here\. Nothing was changed\.\nGet it with: npm install -g troupe@99\.1\.0$/m,
  );
  assert.match(await updateSays(release("99.2.0", "other.js")), /The registry has no release of it/);
  assert.match(await updateSays(release("0.0.1", "dist/troupe.js")), /is the newest\.$/m);
  assert.match(await updateSays({}), /The registry has no release of it/);
  assert.ok(
    newerBy("1.10.0", "1.9.9") > 0 && newerBy("1.0.0", "1.0.0") === 0 && newerBy("0.9.0", "1.0.0") < 0,
  );
});
