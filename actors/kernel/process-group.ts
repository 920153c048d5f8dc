/**
 * Processes that lead a group of their own: signals reach their helpers too, and a Ctrl-C in the service's terminal does not.
 *
 * Node makes a group only together with a session (`detached`). Linux shares the cores among sessions first (autogroup), so the
 * browser of one profile would get as much as the whole service, and with many busy ones single calls wait for most of a second.
 * So a group stays in the service's session where something can make one: Perl, which every Debian and most other systems have.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";

const perl = "/usr/bin/perl";

/** Perl's own variables, of which the program is not to see what was set for Perl, nor the program's stderr its remarks. */
const quietly = { PERL5OPT: "", PERL_BADLANG: "0" };
/**
 * Without the capability to raise a priority, which root alone has. Chromium sets those of its threads itself, and as root it would
 * put them before the service's, with which they share a session. The call is prctl(PR_CAPBSET_DROP, CAP_SYS_NICE).
 */
const prctl = { x64: 157, arm64: 167 }[String(process.arch)];
const modest = prctl === undefined ? "" : `syscall(${prctl}, 24, 23, 0, 0, 0);`;
const lead = `setpgrp(0, 0); ${modest} delete @ENV{qw(${Object.keys(quietly).join(" ")})}; \
exec { $ARGV[0] } @ARGV or do { print STDERR "$ARGV[0]: $!\\n"; exit 127 };`;

/** Where sessions compete, and only there, a group is to stay in ours. */
const staysInSession = process.platform === "linux" && existsSync(perl);

/**
 * Starts a program as leader of a process group. Never throws: `error` is an event. A program that is not there ends with code 127
 * and says so on stderr, or is an `error`.
 */
export function spawnLeader(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (!staysInSession) return spawn(program, args, { ...options, detached: true });
  const env = { ...(options.env ?? process.env), ...quietly };
  return spawn(perl, ["-e", lead, program, ...args], { ...options, env });
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
