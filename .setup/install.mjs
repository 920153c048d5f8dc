/** Step 1: installs exactly the packages of a lock file: the repository's, or that of the benchmark peers. */
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "./paths.mjs";
import { StepFailure, timed } from "./say.mjs";
import { runQuiet } from "./shell.mjs";

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages;
  } catch {
    return null;
  }
}

/**
 * npm writes its record of installed packages last, so a complete record is a finished installation. Optional packages of other platforms
 * may be missing.
 */
export function isInstalled(folder = "") {
  const wanted = packagesOf(join(folder, "package-lock.json"));
  const present = packagesOf(join(folder, "node_modules", ".package-lock.json"));
  if (wanted === null || present === null) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === "" || (optional && present[path] === undefined) || present[path]?.version === version,
  );
}

/** Skip the packages' own browser downloads: everything uses the found or installed Chromium. */
const without = { PUPPETEER_SKIP_DOWNLOAD: "1", PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" };

export function npmCommand() {
  const started = process.env.npm_execpath;
  if (started && /npm-cli\.c?js$/.test(started) && existsSync(started)) {
    return { command: process.execPath, args: [started], shell: false };
  }
  return { command: "npm", args: [], shell: process.platform === "win32" };
}

export async function install(folder = "") {
  const lockFile = posix.join(folder, "package-lock.json");
  await timed(`installing the packages of ${lockFile} (npm ci)`, async () => {
    const npm = npmCommand();
    // Install build tools whatever NODE_ENV says.
    const args = [...npm.args, "ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
    const { NODE_ENV: _production, ...env } = process.env;
    const cwd = join(root, folder);
    const done = await runQuiet(npm.command, args, { env: { ...env, ...without }, shell: npm.shell, cwd });
    if (!done.ok) {
      throw new StepFailure(`npm ci ${done.why}`, {
        tail: done.tail,
        remedy: "check that npm reaches its package registry, then run the command again",
      });
    }
    if (!isInstalled(folder)) {
      throw new StepFailure(`npm ci succeeded, but packages of ${lockFile} are missing in node_modules`, {
        remedy: `delete ${posix.join(folder, "node_modules")} and run the command again`,
      });
    }
  });
}
