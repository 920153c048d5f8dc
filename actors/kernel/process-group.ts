/** Processes that lead their own group: signals reach their helpers, and Ctrl-C in the service's terminal does not. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { procFile } from "./proc-file.ts";
import { stepProcessBack } from "./process-priority.ts";

/**
 * Perl, which every Linux distribution has, makes the calls that Node lacks between fork and exec: a group without a session, the
 * priority before the program starts, and closed descriptors. Without it `spawnLeader` does what Node can.
 */
const perl = "/usr/bin/perl";

/** Perl's own variables: they silence Perl, and `lead` removes them before the program starts. */
const quietly = { PERL5OPT: "", PERL_BADLANG: "0" };
// Drops CAP_SYS_NICE with prctl(PR_CAPBSET_DROP). As root, Chromium would raise its threads above the service's, in the same session.
const prctl = { x64: 157, arm64: 167 }[String(process.arch)];
const modest = prctl === undefined ? "" : `syscall(${prctl}, 24, 23, 0, 0, 0);`;
// close_range(2): what the service itself was started with would else reach a script's process. Kernels before 5.9 refuse it.
const closing = process.platform === "linux" ? "syscall(436, $kept, 0xffffffff, 0);" : "";
const lead = `setpgrp(0, 0); my ($nice, $kept) = splice(@ARGV, 0, 2); $kept = int($kept); ${closing} setpriority(0, 0, $nice) if $nice; ${modest} delete @ENV{qw(${Object.keys(quietly).join(" ")})}; \
exec { $ARGV[0] } @ARGV or do { print STDERR "$ARGV[0]: $!\\n"; exit 127 };`;

/** Node makes a group only with a session, and Linux shares the cores among sessions first: each browser would count as a whole service. */
const staysInSession = process.platform === "linux" && existsSync(perl);

/** How `spawnLeader` starts programs on this machine, for `troupe doctor`. */
export const startsPrograms = staysInSession
  ? `through ${perl}: browsers and scripts share the service's session, and scripts and runs come second`
  : process.platform === "linux"
    ? `in sessions of their own; with ${perl} the service would come before scripts and runs on busy cores`
    : "in sessions of their own";

/** Starts a program as leader of a process group. Never throws: a missing program is an `error` event or exit code 127. */
export function spawnLeader(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
  nice = 0,
): ChildProcess {
  if (!staysInSession) {
    const child = spawnWhole(program, args, { ...options, detached: true });
    if (nice > 0 && child.pid !== undefined) stepProcessBack(child.pid);
    return child;
  }
  const env = { ...(options.env ?? process.env), ...quietly };
  const kept = Array.isArray(options.stdio) ? options.stdio.length : 3;
  return spawnWhole(perl, ["-e", lead, String(nice), String(kept), program, ...args], { ...options, env });
}

/** `spawn` that always sets `stdio`: Node leaves it out when no descriptors are left. An `error` event follows. */
export function spawnWhole(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options);
  if (Reflect.get(child, "stdio") !== undefined) return child;
  const none = [null, null, null, null, null];
  return Object.assign(child, { stdio: none, stdin: null, stdout: null, stderr: null });
}

/** The text of a start error; it names the remedy for too many open files. */
export function startErrorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (!/\bE[MN]FILE\b/.test(text)) return text;
  return `${text}: no more files can be opened; raise the limit of this service, as with: ulimit -n 4096`;
}

/** Signals the group of `leader`; 0 only checks. False when the group is empty. Before the group exists, `leader` alone gets the signal. */
export function signalGroup(leader: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (leader.pid === undefined) return false;
  try {
    return process.kill(-leader.pid, signal);
  } catch {
    return leader.kill(signal); // ESRCH: the group is empty or does not exist yet. False when the process was reaped.
  }
}

/** Whether the group led by `pid`, which need not be our child, has a live process. */
export function groupIsAlive(pid: number): boolean {
  return signalled(pid, 0) && !onlyZombies(pid);
}

/** Kills the group led by `pid`. */
export function killGroup(pid: number): void {
  signalled(pid, "SIGKILL");
}

function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  for (const to of [-pid, pid]) {
    try {
      return process.kill(to, signal);
    } catch {
      // Ended, or the group does not exist yet.
    }
  }
  return false;
}

/** A process group by its leader; `signal` returns false when the group is empty. */
export interface Group {
  pid: number;
  signal(signal: 0): boolean;
}

/** Helper processes are not our children, so their end is polled. */
const lookMs = 5;

/** Waits at most `ms` for the group to end; false when a process is left. */
export async function groupGone(group: Group, ms: number): Promise<boolean> {
  const until = Date.now() + ms;
  for (let round = 0; group.signal(0); round++) {
    // In a container the first process may not reap orphans: zombies still count in the group.
    if (round % 10 === 9 && onlyZombies(group.pid)) return true;
    if (Date.now() >= until) return onlyZombies(group.pid);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return true;
}

/** Processor time in ms of a group's processes and their ended children; null without /proc. */
export function groupWorkMs(group: number): number | null {
  if (process.platform !== "linux") return null;
  let ticks = 0;
  for (const fields of statsOf(group)) for (const at of workFields) ticks += Number(fields[at]);
  return ticks * tickMs;
}

/** Fields of /proc/PID/stat after the name: utime, stime, cutime, cstime, in hundredths of a second. */
const workFields = [11, 12, 13, 14];
const tickMs = 10;

function onlyZombies(group: number): boolean {
  if (process.platform !== "linux") return false;
  for (const [state] of statsOf(group)) if (state !== "Z" && state !== "X") return false;
  return true;
}

function* statsOf(group: number): Generator<string[]> {
  const pids = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
  // Helpers start after the leader, so try the next higher pids first.
  const later = (pid: number) => (pid > group ? 0 : 1);
  for (const pid of pids.sort((a, b) => later(a) - later(b) || a - b)) {
    const stat = procFile(`/proc/${pid}/stat`) ?? "";
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // The name may contain spaces and brackets.
    if (fields[2] === String(group)) yield fields;
  }
}
