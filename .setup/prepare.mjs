/**
 * Runs before every package.json command: `prepare.mjs [-- COMMAND…]`. Does missing steps in order, one log line each, then runs the
 * command. Uses only Node, because packages may be missing.
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

/** Each checks the files themselves, in milliseconds. */
const steps = [
  { isDone: isInstalled, run: install },
  { isDone: isGenerated, run: generate },
  { isDone: () => findChromium() !== null, run: installChromium },
  { isDone: hasBubblewrap, run: installBubblewrap },
  { isDone: isBuilt, run: buildEntries }, // After Chromium, because the build's code cache needs a browser.
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
    // The lock's previous owner may have done these steps.
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
