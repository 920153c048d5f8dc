/**
 * What is behind the wrapper script that a distribution installs as its browser: learned from a browser that the script has
 * started, and started without it from then on. Debian's asks a dozen small programs each time, for 15 to 20 ms of a core.
 */
import { readdir, readFile, readlink, realpath, stat, statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** A program, and what the script adds to every start of it. */
export interface Program {
  path: string;
  /** Before our own switches, as the script has them. */
  switches: string[];
  env: Record<string, string>;
}

/** Where scripts read switches that the machine's owner has set. */
const flagPlaces = ["/etc/chromium.d", "/etc/chromium", "/etc/chromium-browser"];
const flagFiles = ["chromium-flags.conf", "chrome-flags.conf", "chromium-browser-flags.conf"];
/** A shell's own. */
const ofTheShell: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);

/** Below this much free shared memory a browser crashes when it fills up (Debian's bug 1072299); the temporary directory is slower. */
const sharedMemoryBytesMin = 4_080_218_931;

/** How a browser was started through `chromiumPath`. */
export interface Start {
  pid: number;
  chromiumPath: string;
  switches: readonly string[];
  env: NodeJS.ProcessEnv;
}

/**
 * What the wrapper at `chromiumPath` has made of this start; null where there is no wrapper, or one that does more than add
 * switches and variables: one that gives the browser a file system of its own, as Snap's and Flatpak's do, or leaves out a switch.
 */
export async function programBehind(start: Start): Promise<Program | null> {
  const of = `/proc/${start.pid}`;
  try {
    const [path, own, theirs, ours, line, variables] = await Promise.all([
      readlink(`${of}/exe`),
      realpath(start.chromiumPath),
      readlink(`${of}/ns/mnt`),
      readlink("/proc/self/ns/mnt"),
      readFile(`${of}/cmdline`, "utf8"),
      readFile(`${of}/environ`, "utf8"),
    ]);
    if (path === own || theirs !== ours) return null;
    const switches = added(listed(line).slice(1), start.switches);
    return switches === null ? null : { path, switches, env: addedEnv(listed(variables), start.env) };
  } catch {
    return null; // Not Linux, or not ours to look at.
  }
}

/** Of files that a wrapper at `chromiumPath` may read: changes when what it would start may have changed. */
export async function wrapperKey(chromiumPath: string): Promise<string> {
  const path = await realpath(chromiumPath).catch(() => chromiumPath);
  const inPlaces = await Promise.all(
    flagPlaces.map(async (place) => (await readdir(place).catch(() => [])).map((name) => join(place, name))),
  );
  const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
  const files = [path, ...inPlaces.flat(), ...flagFiles.map((name) => join(config, name))];
  const stamps = await Promise.all(files.map(stampOf));
  return [path, ...stamps].join(" ");
}

/** A switch for a machine whose shared memory is small; none elsewhere. */
export async function sharedMemorySwitches(): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const free = await statfs("/dev/shm").then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free < sharedMemoryBytesMin ? ["--disable-dev-shm-usage"] : [];
}

async function stampOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  return found === null ? "-" : `${found.size}/${found.mtimeMs}/${found.ino}`;
}

function listed(text: string): string[] {
  return text.split("\0").slice(0, -1);
}

/** What is there beside `given`; null when something of it is missing. */
function added(all: readonly string[], given: readonly string[]): string[] | null {
  const rest = [...all];
  for (const one of given) {
    const at = rest.lastIndexOf(one);
    if (at < 0) return null;
    rest.splice(at, 1);
  }
  return rest;
}

function addedEnv(all: readonly string[], given: NodeJS.ProcessEnv): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of all) {
    const at = line.indexOf("=");
    const [name, value] = [line.slice(0, at), line.slice(at + 1)];
    if (at > 0 && !ofTheShell.has(name) && given[name] !== value) found[name] = value;
  }
  return found;
}
