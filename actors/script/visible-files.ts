/** The part of the file system that a script's process sees, and the command lines that restrict it to that. */
import { realpathSync } from "node:fs";

export interface View {
  readable: readonly string[];
  writable: readonly string[];
  /** An unused path where the view may be assembled. */
  root: string;
  workDir: string;
}

/** A file or directory, and its path for the process. */
export interface Shown {
  from: string;
  to: string;
}

/** The files of Node itself: its program and the libraries that it links to. */
export type Runtime = readonly Shown[];

/** Bubblewrap makes the namespaces and the view, without /proc, /dev or any other program. */
export function bubblewrapArguments(runtime: Runtime, view: View): string[] {
  return [
    ...["--unshare-all", "--unshare-user", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL"],
    ...shownIn(runtime, view).flatMap(({ from, to }) => ["--ro-bind-try", from, to]),
    ...view.writable.flatMap((directory) => ["--bind", directory, directory]),
    ...["--remount-ro", "/", "--chdir", view.workDir, "--"],
  ];
}

/** System call numbers: mount, umount2, pivot_root, prctl. */
const systemCalls = { x64: [165, 166, 155, 157], arm64: [40, 39, 41, 167] }[String(process.arch)];

/** The same view below `unshare`, by Perl, which can make system calls. Without the capabilities, the process can mount nothing. */
const makeView = `use strict;
my ($mount, $umount, $pivot, $prctl, $root, $dir, $count) = splice @ARGV, 0, 7;
my ($readOnly, $noSuid, $noDev, $noExec, $remount, $bind, $recursive) = (1, 2, 4, 8, 32, 4096, 16384);
sub attempt { my ($number, @given) = @_; syscall($number + 0, @given) == 0 }
sub must { my $what = shift; attempt(@_) or die "$what: $!\\n" }
sub place {
  my ($path, $isDir) = @_; my $at = $root;
  my @parts = grep { $_ ne "" } split m{/}, $path; my $last = $isDir ? undef : pop @parts;
  for (@parts) { $at .= "/$_"; mkdir $at, 0755 }
  return $at unless defined $last;
  open my $file, ">", "$at/$last" or die "$at/$last: $!\\n"; return "$at/$last";
}
mkdir $root, 0700;
must "tmpfs", $mount, "tmpfs", $root, "tmpfs", $noSuid | $noDev, "mode=755";
while ($count-- > 0) {
  my ($kind, $from, $to) = splice @ARGV, 0, 3; next unless -e $from;
  my $at = place $to, -d $from;
  must $from, $mount, $from, $at, 0, $bind | $recursive, 0;
  my $flags = $remount | $bind | $noSuid | $noDev | ($kind eq "ro" ? $readOnly : 0);
  attempt($mount, 0, $at, 0, $flags, 0) or must $from, $mount, 0, $at, 0, $flags | $noExec, 0;
}
must "read-only root", $mount, 0, $root, 0, $remount | $bind | $readOnly | $noSuid | $noDev, 0;
chdir $root or die "$root: $!\\n";
must "pivot_root", $pivot, ".", ".";
must "old root", $umount, ".", 2;
chdir $dir or die "$dir: $!\\n";
attempt($prctl, 24, $_, 0, 0, 0) for 0 .. 63;
must "no_new_privs", $prctl, 38, 1, 0, 0, 0;
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";`;

/** Null where the system call numbers of this processor are unknown. */
export function perlArguments(runtime: Runtime, view: View): string[] | null {
  if (systemCalls === undefined) return null;
  const shown = [
    ...shownIn(runtime, view).map(({ from, to }) => ["ro", from, to]),
    ...view.writable.map((directory) => ["rw", directory, directory]),
  ];
  const numbers = systemCalls.map(String);
  return ["-e", makeView, ...numbers, view.root, view.workDir, String(shown.length), ...shown.flat()];
}

/** A profile for macOS's `sandbox-exec`, untested: denies all but `system.sb`, the program and the view. */
export function seatbeltProfile(program: string, view: View): string {
  const paths = (list: readonly string[]) =>
    list.map((path) => `(subpath ${JSON.stringify(path)})`).join(" ");
  return [
    "(version 1)",
    "(deny default)",
    '(import "system.sb")',
    `(allow process-exec (literal ${JSON.stringify(program)}))`,
    `(allow file-read* (literal ${JSON.stringify(program)}) ${paths([...view.readable, ...view.writable])})`,
    "(allow file-read-metadata)",
    `(allow file-write* ${paths(view.writable)})`,
    "(allow signal (target self))",
    "(deny network*)",
    "(deny process-fork)",
  ].join("\n");
}

function shownIn(runtime: Runtime, { readable }: View): Shown[] {
  return [...runtime, ...readable.map((path) => ({ from: path, to: path }))];
}

/** Parses the loader's output: `name => path (address)`, and `path (address)` for the loader itself. */
export function runtimeOf(program: string, traced: string): Runtime {
  const libraries = [...traced.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/gm)].map(
    ([, path = ""]) => path,
  );
  // Other loaders, such as musl's, print nothing: show all system libraries.
  const shown = libraries.length > 0 ? libraries : ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
  // Debian's Node keeps parts of itself in /usr/share/nodejs.
  const paths = [program, ...shown, "/etc/ld.so.cache", "/usr/share/nodejs"];
  return paths.map((path) => ({ from: real(path), to: path })).filter(({ from }) => from !== "");
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return "";
  }
}
