/** The program behind a distribution's wrapper script, found by one start of the script. Starting it directly is faster. */
import { readdir, readFile, readlink, realpath, stat, statfs } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { homeDir } from "../../kernel/home-dir.ts";

/** A program, with what the script adds to each start. */
export interface Program {
  path: string;
  switches: string[];
  env: Record<string, string>;
}

const flagPlaces = ["/etc/chromium.d", "/etc/chromium", "/etc/chromium-browser"];
const flagFiles = ["chromium-flags.conf", "chrome-flags.conf", "chromium-browser-flags.conf"];
const ofTheShell: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);

/** A browser crashes when less shared memory than this fills up (Debian bug 1072299). The temporary directory is slower. */
const sharedMemoryBytesMin = 4_080_218_931;

/** How a browser was started through `chromiumPath`. */
export interface Start {
  pid: number;
  chromiumPath: string;
  switches: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** The program that the wrapper started; null without a wrapper, or when it does more (Snap, Flatpak) than add switches and variables. */
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
    return null; // Not Linux, or no permission.
  }
}

/** A key of the files that the wrapper may read: it changes when the wrapper may start something else. */
export async function wrapperKey(chromiumPath: string): Promise<string> {
  const path = await realpath(chromiumPath).catch(() => chromiumPath);
  const inPlaces = await Promise.all(
    flagPlaces.map(async (place) => (await readdir(place).catch(() => [])).map((name) => join(place, name))),
  );
  const files = [path, ...inPlaces.flat(), ...userFlagFiles()];
  const stamps = await Promise.all(files.map(stampOf));
  return [path, ...stamps].join(" ");
}

/** The switch for a machine with little shared memory, or none. */
export async function sharedMemorySwitches(): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const free = await statfs("/dev/shm").then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free < sharedMemoryBytesMin ? ["--disable-dev-shm-usage"] : [];
}

function userFlagFiles(): string[] {
  const base = process.env.XDG_CONFIG_HOME ?? "";
  const home = homeDir();
  if (isAbsolute(base)) return flagFiles.map((name) => join(base, name));
  return home === null ? [] : flagFiles.map((name) => join(home, ".config", name));
}

async function stampOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  return found === null ? "-" : `${found.size}/${found.mtimeMs}/${found.ino}`;
}

function listed(text: string): string[] {
  return text.split("\0").slice(0, -1);
}

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
