/**
 * Processes that lead a group of their own: signals reach their helpers too, and a Ctrl-C in the service's terminal does not.
 *
 * Node makes a group only together with a session (`detached`). Linux shares the cores among sessions first (autogroup), so the
 * browser of one profile would get as much as the whole service, and with many busy ones single calls wait for most of a second.
 * So a group stays in the service's session where something can make one: Perl, which every Debian and most other systems have.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { procFile } from "./proc-file.ts";
import { stepProcessBack } from "./process-priority.ts";

const perl = "/usr/bin/perl";

/** Perl's own variables, of which the program is not to see what was set for Perl, nor the program's stderr its remarks. */
const quietly = { PERL5OPT: "", PERL_BADLANG: "0" };
/**
 * Without the capability to raise a priority, which root alone has. Chromium sets those of its threads itself, and as root it would
 * put them before the service's, with which they share a session. The call is prctl(PR_CAPBSET_DROP, CAP_SYS_NICE).
 */
const prctl = { x64: 157, arm64: 167 }[String(process.arch)];
const modest = prctl === undefined ? "" : `syscall(${prctl}, 24, 23, 0, 0, 0);`;
const lead = `setpgrp(0, 0); my $nice = shift @ARGV; setpriority(0, 0, $nice) if $nice; ${modest} delete @ENV{qw(${Object.keys(quietly).join(" ")})}; \
exec { $ARGV[0] } @ARGV or do { print STDERR "$ARGV[0]: $!\\n"; exit 127 };`;

/** Where sessions compete, and only there, a group is to stay in ours. */
const staysInSession = process.platform === "linux" && existsSync(perl);

/**
 * Starts a program as leader of a process group, with a nice value that all that it starts has too: told from here it may come after
 * the first of those (15 of 60 on busy cores). Without Perl it is told from here. Never throws: `error` is an event. A program that is not there ends with code 127
 * and says so on stderr, or is an `error`.
 */
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
  return spawnWhole(perl, ["-e", lead, String(nice), program, ...args], { ...options, env });
}

/** As Node's `spawn`, which gives a process without `stdio` where no descriptors are left: here it has none of the pipes, and `error` follows. */
export function spawnWhole(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options);
  if (Reflect.get(child, "stdio") !== undefined) return child;
  const none = [null, null, null, null, null];
  return Object.assign(child, { stdio: none, stdin: null, stdout: null, stderr: null });
}

/** What is said of a process or thread that could not be started. */
export function startErrorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (!/\bE[MN]FILE\b/.test(text)) return text;
  return `${text}: no more files can be opened; raise the limit of this service, as with: ulimit -n 4096`;
}

/**
 * Sends a signal to all of the group that this process leads; 0 only looks. False when nobody is left in it. In the first
 * milliseconds, while it has no group yet, the process alone gets it.
 */
export function signalGroup(leader: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (leader.pid === undefined) return false;
  try {
    return process.kill(-leader.pid, signal);
  } catch {
    return leader.kill(signal); // ESRCH: the group is empty, or not there yet. False when the process has been collected.
  }
}

/** Whether somebody is left in the group that this process leads, or will lead in a moment. It need not be our child. */
export function groupIsAlive(pid: number): boolean {
  return signalled(pid, 0) && !onlyZombies(pid);
}

/** Kills all of the group that this process leads. */
export function killGroup(pid: number): void {
  signalled(pid, "SIGKILL");
}

function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  for (const to of [-pid, pid]) {
    try {
      return process.kill(to, signal);
    } catch {
      // Ended, or not yet a group.
    }
  }
  return false;
}

/** A group by its leader; `signal` as above. */
export interface Group {
  pid: number;
  signal(signal: 0): boolean;
}

/** How often a group is looked at while it dies: its helpers are not our children and tell us nothing. */
const lookMs = 5;

/** Waits until nobody of a group is left, for `ms` at most; false when somebody is. */
export async function groupGone(group: Group, ms: number): Promise<boolean> {
  const until = Date.now() + ms;
  for (let round = 0; group.signal(0); round++) {
    // Nobody may collect orphans here (a container's first process often does not): the dead still count in the group.
    if (round % 10 === 9 && onlyZombies(group.pid)) return true;
    if (Date.now() >= until) return onlyZombies(group.pid);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return true;
}

/** Processor time that a group's processes have had, with that of their children that ended; null where there is no /proc. */
export function groupWorkMs(group: number): number | null {
  if (process.platform !== "linux") return null;
  let ticks = 0;
  for (const fields of statsOf(group)) for (const at of workFields) ticks += Number(fields[at]);
  return ticks * tickMs;
}

/** Of /proc/PID/stat, behind the name: utime, stime, cutime, cstime, in what Linux tells users as a hundredth of a second. */
const workFields = [11, 12, 13, 14];
const tickMs = 10;

/** True when every process of the group is a zombie. Only where there is a /proc. */
function onlyZombies(group: number): boolean {
  if (process.platform !== "linux") return false;
  for (const [state] of statsOf(group)) if (state !== "Z" && state !== "X") return false;
  return true;
}

/** What /proc/PID/stat says, behind the name, of each process of the group: state, parent, group … */
function* statsOf(group: number): Generator<string[]> {
  const pids = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
  // Its helpers were started after it, one after the other: who is left is found among the first.
  const later = (pid: number) => (pid > group ? 0 : 1);
  for (const pid of pids.sort((a, b) => later(a) - later(b) || a - b)) {
    const stat = procFile(`/proc/${pid}/stat`) ?? "";
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // The name may hold spaces and brackets.
    if (fields[2] === String(group)) yield fields;
  }
}
