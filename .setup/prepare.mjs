/**
 * What every command of package.json calls first: `prepare.mjs [-- COMMAND…]`. Does what is missing, in order,
 * says so in one line each, and then runs the command. Uses nothing but Node, for there may be no packages yet.
 */

import { hasBubblewrap, installBubblewrap } from "./bubblewrap.mjs";
import { buildEntries, isBuilt } from "./build.mjs";
import { findChromium, installChromium } from "./chromium.mjs";
import { commandEnvironment } from "./environment.mjs";
import { generate, isGenerated } from "./generate.mjs";
import { install, isInstalled } from "./install.mjs";
import { withLock } from "./lock.mjs";
import { StepFailure, sayFailure } from "./say.mjs";
import { runLoud } from "./shell.mjs";

/** Each looks at the files themselves; none costs more than a few milliseconds when all is done. */
const steps = [
  { isDone: isInstalled, run: install },
  { isDone: isGenerated, run: generate },
  { isDone: () => findChromium() !== null, run: installChromium },
  { isDone: hasBubblewrap, run: installBubblewrap },
  { isDone: isBuilt, run: buildEntries }, // Scripts' libraries rehearse with the browser.
];

function mustBeSupported() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepFailure(`this is Node ${process.versions.node}; Troupe needs 20.19 or newer`, {
    remedy: "install Node 20.19 or newer, then run the command again",
  });
}

async function prepare() {
  mustBeSupported();
  if (steps.every((step) => step.isDone())) return;
  await withLock(async () => {
    // Whoever held the lock before us may have done it all.
    for (const step of steps) if (!step.isDone()) await step.run();
  });
}

const [separator, command, ...args] = process.argv.slice(2);
if (separator !== undefined && (separator !== "--" || command === undefined)) {
  process.stderr.write("usage: prepare.mjs [-- COMMAND…]\n");
  process.exit(2);
}
try {
  await prepare();
  if (command !== undefined) {
    const env = commandEnvironment(process.env, findChromium());
    process.exitCode = await runLoud(command === "node" ? process.execPath : command, args, { env });
  }
} catch (failure) {
  sayFailure(failure);
  process.exitCode = 1;
}
