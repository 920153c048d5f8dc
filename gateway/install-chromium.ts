/**
 * Installs a Chromium where none is found: root on Debian gets the system's, anybody else Chrome for Testing in a folder of this user.
 * The set-up of a checkout and the first start of an installed package both use it.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Browser, detectBrowserPlatform, install, resolveBuildId } from "@puppeteer/browsers";
import { lives } from "./instance.ts";
import {
  browsersDir,
  chromiumOf,
  installedChromium,
  installedChromiumFile,
  statedVersion,
} from "./machine.ts";

export interface InstallParts {
  /** Called for each step, and about ten times while a download goes on. */
  say(line: string): void;
  env?: NodeJS.ProcessEnv;
  /** Whether the system's packages may be installed; default: for root on Debian. */
  mayUseApt?: boolean;
  /** Where Chrome for Testing comes from; default: its publisher, the newest stable build. */
  source?: { baseUrl: string; buildId: string };
}

const ownRemedy = "install Chromium or Chrome yourself, or set CHROMIUM_PATH to one, and try again";
const outputMax = 4_000;

/** The path of a Chromium that states its version. Throws an Error that says what was tried, and the remedy. */
export async function installChromium(parts: InstallParts): Promise<string> {
  const { say, env = process.env, mayUseApt = usesApt() } = parts;
  if (mayUseApt) {
    say("installing Chromium (apt-get install chromium); this takes a minute or two");
    const failure = await installByApt();
    const found = chromiumOf(process.platform, env);
    if (failure === null && found !== null) return answering(found, say);
    say(
      `apt-get could not install Chromium${failure === null ? "" : ` (${failure})`}; trying Chrome for Testing`,
    );
  }
  const path = await installChromeForTesting({ ...parts, env, mayUseApt }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`no Chromium was found, and none could be installed: ${why}; ${ownRemedy}`);
  });
  await answering(path, say);
  writeFileSync(installedChromiumFile(env), path);
  return path;
}

export const usesApt = () =>
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  existsSync("/etc/debian_version") &&
  existsSync("/usr/bin/apt-get");

/** Null when it is installed, else why not. Ubuntu has no Chromium package but a snap. */
async function installByApt(): Promise<string | null> {
  const updated = await aptGet("update");
  // A profile's dates and numbers follow Chromium's translations; without them, each tab needs an override.
  const both = await aptGet("install", "-y", "chromium", "chromium-l10n");
  const failure = both === null ? null : await aptGet("install", "-y", "chromium");
  return failure === null ? null : [updated, failure].filter((text) => text !== null).join("; ");
}

/** Null when it succeeds, else the last line that it wrote. */
function aptGet(...args: string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn("apt-get", ["-o", "DPkg::Lock::Timeout=120", ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-outputMax);
      });
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => {
      const lines = output.split("\n").filter((line) => line.trim() !== "");
      resolve(code === 0 ? null : (lines.at(-1) ?? `apt-get ended with code ${code}`));
    });
  });
}

type ForUser = Required<Pick<InstallParts, "say" | "env" | "mayUseApt">> & Pick<InstallParts, "source">;

async function installChromeForTesting({ say, env, mayUseApt, source }: ForUser): Promise<string> {
  const platform = detectBrowserPlatform();
  if (platform === undefined)
    throw new Error(`Chrome for Testing is not made for ${process.platform} ${process.arch}`);
  const dir = browsersDir(env);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const browser = Browser.CHROME;
  const { baseUrl, buildId = await resolveBuildId(browser, platform, "stable") } = source ?? {};
  say(`downloading Chrome for Testing ${buildId} to ${dir}`);
  const draft = newDraft(dir);
  try {
    const { path, executablePath } = await install({
      browser,
      buildId,
      platform,
      cacheDir: draft,
      installDeps: mayUseApt, // Only root can install the system libraries that Chrome needs.
      downloadProgressCallback: progress(say),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    });
    const other = installedChromium(env);
    if (other !== null) return other; // Of a start that came to its end meanwhile.
    const place = join(dir, relative(draft, path));
    mkdirSync(dirname(place), { recursive: true });
    rmSync(place, { recursive: true, force: true });
    renameSync(path, place);
    return join(dir, relative(draft, executablePath));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * A folder in which this process downloads and unpacks: an installation that was cut off leaves nothing in the browser's own place, which
 * the installer would take for a broken browser from then on. Removes what ended processes left.
 */
function newDraft(dir: string): string {
  for (const name of readdirSync(dir)) {
    const pid = Number(/^draft-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && (pid === process.pid || !lives(pid)))
      rmSync(join(dir, name), { recursive: true, force: true });
  }
  return join(dir, `draft-${process.pid}`);
}

function progress(say: (line: string) => void): (loaded: number, total: number) => void {
  const mib = (bytes: number) => Math.round(bytes / 1024 ** 2);
  let tenths = 0;
  return (loaded, total) => {
    const now = Math.floor((loaded / total) * 10);
    if (now <= tenths) return;
    tenths = now;
    say(`downloaded ${mib(loaded)} of ${mib(total)} MiB`);
  };
}

/** Chromium without a needed library cannot even state its version: fail here, not at the first launch. */
async function answering(path: string, say: (line: string) => void): Promise<string> {
  if (process.platform === "win32") {
    say(`Chromium is ${path}`); // There a browser opens instead of answering.
    return path;
  }
  const stated = await statedVersion(path).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `the Chromium at ${path} does not start: ${why.trim()}; install what is named, or set CHROMIUM_PATH`,
    );
  });
  say(`Chromium is ${path} (${stated})`);
  return path;
}
