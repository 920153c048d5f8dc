/** Who may lock a data directory, and whose lock may be taken over. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { lockDataDir } from "../../storage/lock.ts";
import { bundled } from "../bundled.ts";
import { temporaryDir } from "./open.ts";

const here = (pid: number) => ({ kind: "conflict", detail: { code: "data-dir-locked", pid } });

function rewrite(dir: string, changes: object): void {
  const path = join(dir, "lock");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...changes }));
}

const lockModule = await bundled(new URL("../../storage/lock.ts", import.meta.url));

async function otherProcess(t: TestContext, dir: string) {
  const script = `const { lockDataDir } = await import(${JSON.stringify(lockModule)}); lockDataDir(${JSON.stringify(dir)}); console.log("locked"); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

async function otherThread(t: TestContext, dir: string) {
  const worker = new Worker(new URL("./lock-thread.mjs", import.meta.url), {
    workerData: { dir, lock: lockModule },
  });
  t.after(() => worker.terminate());
  const [said] = await once(worker, "message");
  return { worker, said };
}

test("a locked directory is refused with its holder's pid, and free again after release", (t) => {
  const dir = temporaryDir(t);
  const lock = lockDataDir(dir);
  assert.throws(() => lockDataDir(dir), here(process.pid));
  lock.release();
  lockDataDir(dir).release();
  assert.deepEqual(readdirSync(dir), []);
});

test("a directory locked by another process is refused until that process has exited", async (t) => {
  const dir = temporaryDir(t);
  const child = await otherProcess(t, dir);
  assert.throws(() => lockDataDir(dir), {
    ...here(child.pid ?? 0),
    message: new RegExp(`process ${child.pid}`),
  });
  child.kill("SIGKILL");
  await once(child, "exit");
  lockDataDir(dir).release();
  assert.deepEqual(readdirSync(dir), []);
});

test("a directory locked by another thread is refused until that thread has ended", async (t) => {
  const dir = temporaryDir(t);
  const { worker, said } = await otherThread(t, dir);
  assert.equal(said, "locked");
  assert.throws(() => lockDataDir(dir), here(process.pid));
  worker.postMessage("end");
  await once(worker, "exit");
  const lock = lockDataDir(dir);
  const second = await otherThread(t, dir);
  assert.match(second.said, /in use by process/);
  lock.release();
});

test("a reused pid does not keep the lock", (t) => {
  const dir = temporaryDir(t);
  lockDataDir(dir);
  rewrite(dir, { processStart: "1" });
  lockDataDir(dir).release();
});

test("a lock from before the last boot is taken over", (t) => {
  const dir = temporaryDir(t);
  lockDataDir(dir);
  rewrite(dir, { boot: "00000000-0000-0000-0000-000000000000" });
  lockDataDir(dir).release();
});

test("a holder that this machine cannot see counts as alive, and the error names the remedy", (t) => {
  const dir = temporaryDir(t);
  lockDataDir(dir);
  rewrite(dir, { pidNamespace: "pid:[1]", pid: 1 });
  assert.throws(() => lockDataDir(dir), { ...here(1), message: /if it has ended, remove .*lock/ });
});

test("a copied directory is free, because the lock belongs to the original; a renamed one stays locked", (t) => {
  const root = temporaryDir(t);
  const original = join(root, "original");
  const copy = join(root, "copy");
  const renamed = join(root, "renamed");
  mkdirSync(original);
  const lock = lockDataDir(original);
  cpSync(original, copy, { recursive: true });
  lockDataDir(copy).release();
  renameSync(original, renamed);
  assert.throws(() => lockDataDir(renamed), here(process.pid));
  renameSync(renamed, original);
  lock.release();
});

test("a lock that is a directory or has invalid content is refused with its path", (t) => {
  const dir = temporaryDir(t);
  const refused = {
    kind: "conflict",
    message: `${join(dir, "lock")} is not a lock of Troupe; remove it when nothing uses the directory`,
  };
  mkdirSync(join(dir, "lock"));
  assert.throws(() => lockDataDir(dir), refused);
  rmdirSync(join(dir, "lock"));
  writeFileSync(join(dir, "lock"), "nonsense");
  assert.throws(() => lockDataDir(dir), refused);
});

test("an interrupted takeover is taken over too", (t) => {
  const dir = temporaryDir(t);
  lockDataDir(dir);
  rewrite(dir, { processStart: "1", nonce: "dead" });
  const holder = JSON.parse(readFileSync(join(dir, "lock"), "utf8"));
  writeFileSync(join(dir, "lock.after-dead"), JSON.stringify({ ...holder, nonce: "dead-too" }));
  lockDataDir(dir).release();
  assert.deepEqual(readdirSync(dir), []);
});

test("of many threads that find a stale lock, exactly one gets it", async (t) => {
  const dir = temporaryDir(t);
  lockDataDir(dir);
  rewrite(dir, { processStart: "1" });
  const said = (await Promise.all(Array.from({ length: 6 }, () => otherThread(t, dir)))).map(
    (thread) => thread.said,
  );
  assert.equal(said.filter((word) => word === "locked").length, 1, said.join());
});
