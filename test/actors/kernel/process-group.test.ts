/** Leaders of process groups: their session, signals and environment. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { signalGroup, spawnLeader } from "../../../actors/kernel/process-group.ts";
import { stepProcessBack, steppedBackNice } from "../../../actors/kernel/process-priority.ts";
import { bundled } from "../../bundled.ts";
import { until } from "../../gateway/serve.ts";

const linux = process.platform === "linux";

function placeOf(pid: number): { group: number; session: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const [group = 0, session = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(2, 4)
    .map(Number);
  return { group, session };
}

/** Exited, or a zombie that nothing collects, as often in a container. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return linux && /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}

async function started(program: string, env: NodeJS.ProcessEnv = process.env) {
  const child = spawnLeader(process.execPath, ["-e", program], { env, stdio: ["ignore", "pipe", "pipe"] });
  assert.ok(child.pid !== undefined && child.stdout !== null && child.stderr !== null);
  const [line] = await once(child.stdout, "data");
  return { child, pid: child.pid, line: String(line).trim(), stderr: child.stderr };
}

const waits = "console.log('runs'); setInterval(() => {}, 1000);";

const onLinux: (name: string, run: (t: TestContext) => Promise<void>) => void = linux ? test : () => {};

onLinux(
  "a leader has its own group in our session, because Linux shares the cores among sessions first",
  async (t) => {
    const { child, pid } = await started(waits);
    t.after(() => signalGroup(child, "SIGKILL"));
    assert.deepEqual(placeOf(pid), { group: pid, session: placeOf(process.pid).session });
    const shares = (of: number) => readFileSync(`/proc/${of}/autogroup`, "latin1");
    if (existsSync("/proc/self/autogroup")) assert.equal(shares(pid), shares(process.pid));
  },
);

onLinux("a leader has no descriptor that this process was started with", async () => {
  const module = JSON.stringify(
    await bundled(new URL("../../../actors/kernel/process-group.ts", import.meta.url)),
  );
  const program = `import(${module}).then(({ spawnLeader }) => spawnLeader("/bin/ls", ["/proc/self/fd"], { stdio: "inherit" }))`;
  const node = [process.execPath, "-e", program];
  const opened = "use POSIX; POSIX::dup2(POSIX::open('/dev/zero'), 40); exec @ARGV";
  const started = spawn("/usr/bin/perl", ["-e", opened, ...node]);
  const descriptors = (await text(started.stdout)).trim().split("\n");
  assert.ok(descriptors.includes("2") && !descriptors.includes("40"), descriptors.join());
});

test("a leader's lower priority does not affect this process", async (t) => {
  const { child, pid } = await started(waits);
  t.after(() => signalGroup(child, "SIGKILL"));
  const shares = () =>
    existsSync("/proc/self/autogroup") ? readFileSync("/proc/self/autogroup", "latin1") : "";
  const before = shares();
  stepProcessBack(pid);
  assert.equal(getPriority(pid), steppedBackNice());
  assert.equal(shares(), before);
});

test("a signal reaches all processes of the group", async () => {
  const { child, pid, line } = await started(
    "console.log(require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' }).pid); setInterval(() => {}, 1000);",
  );
  assert.ok(signalGroup(child, 0));
  assert.ok(signalGroup(child, "SIGKILL"));
  await until("both have ended", () => hasEnded(pid) && hasEnded(Number(line)));
});

test("a signal before the group exists reaches the process", async () => {
  for (let round = 0; round < 20; round++) {
    const child = spawnLeader("/bin/sleep", ["600"], { stdio: "ignore" });
    const exit = once(child, "exit");
    assert.ok(signalGroup(child, 0));
    assert.ok(signalGroup(child, "SIGKILL"));
    assert.deepEqual(await exit, [null, "SIGKILL"]);
    assert.equal(signalGroup(child, 0), false);
  }
});

test("the user's Perl settings and a missing locale do not affect the program", async () => {
  const env = { ...process.env, PERL5OPT: "-MNo::Such::Module", LC_ALL: "xx_XX.UTF-8", LANG: "xx_XX.UTF-8" };
  const { child, line, stderr } = await started("console.log(process.env.LC_ALL)", env);
  assert.equal(line, "xx_XX.UTF-8");
  assert.equal(await text(stderr), "");
  assert.equal(child.exitCode ?? (await once(child, "exit"))[0], 0);
});

onLinux("a leader cannot raise its priority above ours, not even as root", async (t) => {
  const { child, pid, line } = await started(
    "try { require('node:os').setPriority(-8); } catch {} console.log('tried'); setInterval(() => {}, 1000);",
  );
  t.after(() => signalGroup(child, "SIGKILL"));
  assert.equal(line, "tried");
  assert.equal(getPriority(pid), getPriority(process.pid));
});
