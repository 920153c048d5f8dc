/** What `troupe doctor` and a failed launch say of a full disk and of a low limit of open files. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fewOpenFiles } from "../../actors/kernel/open-files.ts";
import type { BrowserProcess } from "../../actors/profile/chromium/process.ts";
import { startFault } from "../../actors/profile/launch-limits.ts";
import { advice, type DiskState, dataDir, diskRoom } from "../../gateway/cli/doctor.ts";
import { lacksInit } from "../../gateway/machine.ts";
import { bundled } from "../bundled.ts";

test("doctor ends with what to do for each thing that is missing, or with the next command", () => {
  const fine = { name: "node", ok: true, finding: "v22" };
  const browser = { name: "chromium", ok: false, finding: "no", remedy: "troupe chromium install" };
  const files = { name: "files", ok: false, finding: "raise it with: ulimit -n 4096" };
  assert.equal(
    advice([fine, browser, files]),
    "What to do:\n- chromium: troupe chromium install\n- files: raise it with: ulimit -n 4096",
  );
  assert.match(
    advice([fine, { name: "service", ok: true, finding: "not running" }]),
    /Next: troupe, which starts/,
  );
  assert.match(advice([fine, { name: "service", ok: true, finding: "pid 7" }]), /Next: troupe open\.$/);
});

const missing = join(tmpdir(), "troupe-no-such", "data");
const room = (state: Partial<DiskState>) =>
  diskRoom(missing, () => ({ bavail: 1_000_000, bsize: 4_096, files: 1_000, ffree: 10, ...state }));

test("a container whose process 1 is Node lacks one that reaps orphans", () => {
  assert.match(String(lacksInit("node\n")), /start the container with --init/);
  for (const other of ["systemd\n", "docker-init\n", null]) assert.equal(lacksInit(other), null);
});

test("a disk with less than 100 MiB, or without inodes, is named with path and remedy", () => {
  assert.equal(room({}), null);
  assert.equal(room({ bavail: 25_600 }), null);
  assert.equal(
    room({ bavail: 25_599 }),
    `${missing} has only 99 MiB left on its disk; free at least 100 MiB`,
  );
  assert.match(String(room({ bavail: 0 })), /only 0 MiB/);
  assert.match(String(room({ ffree: 0 })), /no inode left on its disk; remove some files/);
  assert.equal(room({ files: 0, ffree: 0 }), null, "a file system that counts none");
  let asked = "";
  diskRoom(missing, (at) => {
    asked = at;
    throw new Error("EACCES");
  });
  assert.equal(asked, tmpdir(), "the nearest directory that exists");
});

test("a data directory that cannot be created is missing, and its finding names the folder above", () => {
  const refuse = (path: string) => {
    throw new Error(`EACCES ${path}`);
  };
  assert.deepEqual(dataDir(missing), {
    name: "data",
    ok: true,
    finding: `${missing} (created at the first start)`,
  });
  const refused = dataDir(missing, refuse);
  assert.equal(refused.ok, false);
  assert.ok(
    refused.finding.startsWith(`${missing} cannot be created: ${tmpdir()} is not readable and writable`),
  );
  const inFile = dataDir(join(process.execPath, "data"));
  assert.equal(inFile.finding, `${process.execPath} is not a directory; name another one with --data`);
});

const limits = (soft: string) =>
  `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${soft}   4096   files\n`;

test("a soft limit below 1,024 open files is named with its remedy", () => {
  for (const fine of [limits("1024"), limits("unlimited"), "", null]) assert.equal(fewOpenFiles(fine), null);
  assert.match(String(fewOpenFiles(limits("100"))), /^only 100 files can be open at once; .*ulimit -n 4096$/);
});

test("a browser that ends at its start says so too under a low limit, and not otherwise", async () => {
  const process: BrowserProcess = {
    pid: 1,
    pipe: null,
    ended: Promise.resolve({ code: 133, how: "exit code 133" }),
    drained: Promise.resolve(),
    lastWords: () => "FATAL: something",
    workMs: () => null,
    signal: () => false,
  };
  assert.equal(
    (await startFault(process)).message,
    "engine failed to start: exit code 133: FATAL: something",
  );
  const module = await bundled(new URL("../../actors/profile/launch-limits.ts", import.meta.url));
  const program = `const { startFault } = await import(${JSON.stringify(module)});
    const drained = Promise.resolve();
    const ended = Promise.resolve({ code: 133, how: "exit code 133" });
    console.log((await startFault({ pid: 1, ended, drained, lastWords: () => "FATAL" })).message);`;
  const node = [globalThis.process.execPath, "--input-type=module", "-e", program];
  const said = execFileSync("bash", ["-c", 'ulimit -n 100; exec "$@"', "bash", ...node], {
    encoding: "utf8",
  });
  assert.match(said, /exit code 133: FATAL; only 100 files can be open at once; .*ulimit -n 4096/);
});

test("the first launch, which asks the engine for its facts, names a low limit too", async () => {
  const module = await bundled(new URL("../../actors/profile/open-browser.ts", import.meta.url));
  const program = `const { openBrowser } = await import(${JSON.stringify(module)});
    const { mkdtempSync, rmSync } = await import("node:fs");
    const dir = mkdtempSync(${JSON.stringify(join(tmpdir(), "troupe-few-files-"))});
    const fault = await openBrowser({
      spec: { id: "p", userDataDir: dir + "/p", os: "linux", fingerprint: {}, proxy: null },
      options: { diagnostic: false, headless: true, idleTimeoutSecs: 0 },
      engine: { chromiumPath: "/bin/false", tempDir: dir, hasDisplay: false, launchesAtOnce: 1 },
      onSpawned: () => {},
      signal: new AbortController().signal,
    }).catch((error) => error);
    rmSync(dir, { recursive: true });
    console.log(fault.message);
    process.exit();`;
  const node = [globalThis.process.execPath, "--input-type=module", "-e", program];
  const said = execFileSync("bash", ["-c", 'ulimit -n 100; exec "$@"', "bash", ...node], {
    encoding: "utf8",
  });
  assert.match(said, /^engine failed to start: .*; only 100 files can be open at once; .*ulimit -n 4096/);
});
