/** A library on a disk that fills up, in its own process, which exits with a code other than 0 on a failure. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { ManualClock, systemClock } from "../../actors/kernel/clock.ts";
import { createLogFile, logFileName } from "../../actors/kernel/log-file.ts";
import { createLibrary } from "../../actors/library/library.ts";
import { engineFacts } from "../../actors/profile/identity/engine.ts";
import { openBrowser } from "../../actors/profile/open-browser.ts";
import { writeInstance } from "../../gateway/instance.ts";
import { limits } from "../../protocol/limits.ts";
import { nodeDisk } from "../../storage/disk.ts";
import { lockDataDir } from "../../storage/lock.ts";
import { createProfiles, listProfiles } from "../actors/library.ts";
import { bundled } from "../bundled.ts";
import { until } from "../gateway/serve.ts";
import { integrityOf } from "../storage/integrity.ts";

const [disk = ""] = process.argv.slice(2);
const ballast = join(disk, "ballast");
const dataDir = join(disk, "data");

function fillDisk(): void {
  const file = openSync(ballast, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    assert.match(String(error), /ENOSPC/);
  } finally {
    closeSync(file);
  }
}

const isFull = {
  kind: "internal",
  message: /library\.journal-\d+ cannot be used: the disk \S+ \(mounted on \S+\) is full \(ENOSPC\)/,
};
const library = await createLibrary({ dataDir, clock: systemClock });
const [profileId = ""] = await createProfiles(library, 1);
const write = (name: string) =>
  library.setVariables({ profileId, variables: { [name]: "x".repeat(16_000) } });
fillDisk();
let last = 0;
const refused = async () => {
  try {
    await write(`V${last + 1}`);
    last += 1;
    return false;
  } catch (error) {
    assert.throws(() => {
      throw error;
    }, isFull);
    return true;
  }
};
while (!(await refused()));
assert.ok(last > 0, "the journal has some space");
const namesNow = async () => (await listProfiles(library))[0]?.variableNames;
for (let times = 0; times < 20; times += 1) {
  await assert.rejects(write("REFUSED"), isFull);
  assert.deepEqual(await namesNow(), [`V${last}`]);
}
await assert.rejects(createLibrary({ dataDir: join(disk, "second"), clock: systemClock }), {
  kind: "internal",
  message: /is full \(ENOSPC\); free some space on it/,
});
rmSync(ballast);
while (await refused());
assert.deepEqual(await namesNow(), [`V${last}`]);
await library.close({});
fillDisk();
const again = await createLibrary({ dataDir, clock: systemClock }).catch((error: unknown) => error);
assert.match(String(again), /is full/);
rmSync(ballast);

// Another thread of this process can take over a dead thread's lock without disk space.
const held = join(disk, "held");
mkdirSync(held);
const lock = await bundled(new URL("../../storage/lock.ts", import.meta.url));
const thread = new Worker(new URL("../storage/lock-thread.mjs", import.meta.url), {
  workerData: { dir: held, lock },
});
assert.deepEqual(await once(thread, "message"), ["locked"]);
thread.postMessage("end");
await once(thread, "exit");
fillDisk();
lockDataDir(held).release();
assert.deepEqual(readdirSync(held), []);
// A start writes its address last: it names the disk, and leaves no file that commands would read.
fillDisk();
assert.throws(
  () => writeInstance(dataDir, { pid: process.pid, url: "http://127.0.0.1:1", secret: "s", version: null }),
  {
    kind: "internal",
    message: /instance\.json cannot be used: the disk \S+ \(mounted on \S+\) is full \(ENOSPC\); free some/,
  },
);
assert.deepEqual(
  readdirSync(dataDir).filter((name) => name.startsWith("instance")),
  [],
);
rmSync(ballast);
const third = await createLibrary({ dataDir, clock: systemClock });
assert.deepEqual((await listProfiles(third))[0]?.variableNames, [`V${last}`]);
assert.equal(await third.look(integrityOf), "ok");

// A backup that fills the disk leaves no file, and the library goes on.
writeFileSync(join(dataDir, "uploads", "large"), randomBytes(1024 ** 2));
fillDisk();
truncateSync(ballast, statSync(ballast).size - 512 * 1024);
const file = join(disk, "backup.tar.gz");
for (let times = 0; times < 3; times += 1) {
  await assert.rejects(third.backup({ file, passphrase: null, running: [] }), {
    kind: "internal",
    message: /backup\.tar\.gz cannot be used: the disk \S+ \(mounted on \S+\) is full \(ENOSPC\)/,
  });
  assert.ok(!existsSync(file));
}
rmSync(ballast);
await third.backup({ file, passphrase: null, running: [] });

// The log is on stderr only while its disk is full, says so once, and continues.
const clock = new ManualClock();
const refusals: string[] = [];
const log = createLogFile((why) => refusals.push(why), undefined, clock);
log.open(join(dataDir, "logs"));
fillDisk();
await until("the log is refused", () => {
  log.write(`${"x".repeat(4096)}\n`);
  return refusals.length > 0;
});
log.write("lost\n");
rmSync(ballast);
clock.jump(limits.logRetryMs);
log.write("again\n");
await log.close();
assert.match(readFileSync(join(dataDir, "logs", logFileName), "utf8"), /"missing":\d+}\n(x+\n)*again\n$/);
assert.equal(refusals.length, 1);
assert.match(String(refusals[0]), /troupe\.log cannot be used: the disk \S+ .* is full \(ENOSPC\)/);

// Without an inode, launches and runs name the disk, and make nothing.
const { spec } = await third.profileSpec({ profileId });
const engine = { chromiumPath: process.execPath, tempDir: join(dataDir, "tmp"), hasDisplay: false };
const launch = (diagnostic: boolean) =>
  openBrowser({
    spec: { ...spec, os: "linux", fingerprint: null },
    options: { diagnostic, headless: true, idleTimeoutSecs: 0 },
    engine: { ...engine, launchesAtOnce: 1 },
    onSpawned: () => {},
    signal: new AbortController().signal,
  });
mkdirSync(join(disk, "many"));
assert.throws(() => {
  for (let at = 0; ; at += 1) writeFileSync(join(disk, "many", String(at)), "");
}, /ENOSPC/);
for (const [diagnostic, path] of [
  [false, `profiles/${profileId}`],
  [true, "tmp/diagnostic-"],
] as const) {
  await assert.rejects(launch(diagnostic), {
    kind: "internal",
    message: new RegExp(
      `/data/${path}\\S* cannot be used: the disk \\S+ \\(mounted on \\S+\\) is full: it has no inode left \\(ENOSPC\\); delete some files on it$`,
    ),
  });
}
assert.ok(!existsSync(join(dataDir, "profiles", profileId)));
await assert.rejects(engineFacts({ ...engine, launchesAtOnce: 1 }), {
  code: "ENOSPC",
  path: join(dataDir, "tmp", "engine.json.lock"),
});
await assert.rejects(nodeDisk.makeDir(join(dataDir, "runs", "run", "profile")), {
  code: "ENOSPC",
  path: join(dataDir, "runs", "run"),
});
await third.close({});
