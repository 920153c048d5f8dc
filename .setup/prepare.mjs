/**
 * Runs before package.json's commands: `prepare.mjs [--source] [-- COMMAND…]`. Does missing steps in order, one log line each, then runs
 * the command; with `--source` only the steps that the sources need. Uses only Node, because packages may be missing.
 */

import { hasBubblewrap, installBubblewrap } from "./bubblewrap.mjs";
import { buildEntries, isBuilt } from "./build.mjs";
import { installChromium } from "./chromium.mjs";
import { commandEnvironment } from "./environment.mjs";
import { findChromium } from "./find-chromium.mjs";
import { generate, isGenerated } from "./generate.mjs";
import { install, isInstalled } from "./install.mjs";
import { withLock } from "./lock.mjs";
import { StepFailure, sayFailure } from "./say.mjs";
import { runLoud } from "./shell.mjs";

/** Each checks the files themselves, in milliseconds. */
const sourceSteps = [
  { isDone: isInstalled, run: install },
  { isDone: isGenerated, run: generate },
];
const allSteps = [
  ...sourceSteps,
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

async function prepare(steps) {
  mustBeSupported();
  if (steps.every((step) => step.isDone())) return;
  await withLock(async () => {
    // The lock's previous owner may have done these steps.
    for (const step of steps) if (!step.isDone()) await step.run();
  });
}

const given = process.argv.slice(2);
const fromSource = given[0] === "--source";
const [separator, command, ...args] = fromSource ? given.slice(1) : given;
if (separator !== undefined && (separator !== "--" || command === undefined)) {
  process.stderr.write("usage: prepare.mjs [--source] [-- COMMAND…]\n");
  process.exit(2);
}
try {
  await prepare(fromSource ? sourceSteps : allSteps);
  if (command !== undefined) {
    const env = commandEnvironment(process.env);
    process.exitCode = await runLoud(command === "node" ? process.execPath : command, args, { env });
  }
} catch (failure) {
  sayFailure(failure);
  process.exitCode = 1;
}
