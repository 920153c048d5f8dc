/** Step 1: the packages of the lock file, exactly. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
 * npm writes its record of what it installed last of all, so a record that holds every package of the lock file
 * at its version is a finished install, whoever ran it. Optional packages are those of other platforms.
 */
export function isInstalled() {
  const wanted = packagesOf("package-lock.json");
  const present = packagesOf(join("node_modules", ".package-lock.json"));
  if (wanted === null || present === null) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === "" || (optional && present[path] === undefined) || present[path]?.version === version,
  );
}

/** How to call the npm that started us, or else the one on the path. */
function npmCommand() {
  const started = process.env.npm_execpath;
  if (started && /npm-cli\.c?js$/.test(started) && existsSync(started)) {
    return { command: process.execPath, args: [started], shell: false };
  }
  return { command: "npm", args: [], shell: process.platform === "win32" };
}

export async function install() {
  await timed("installing the packages of package-lock.json (npm ci)", async () => {
    const npm = npmCommand();
    // The build tools are development packages: they are wanted whatever NODE_ENV says.
    const args = [...npm.args, "ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
    const { NODE_ENV: _production, ...env } = process.env;
    const done = await runQuiet(npm.command, args, { env, shell: npm.shell });
    if (!done.ok) {
      throw new StepFailure(`npm ci ${done.why}`, {
        tail: done.tail,
        remedy: "check that npm reaches its package registry, then run the command again",
      });
    }
    if (!isInstalled()) {
      throw new StepFailure(
        "npm ci ended well, but packages of package-lock.json are missing in node_modules",
        {
          remedy: "delete node_modules and run the command again",
        },
      );
    }
  });
}
