/** Installs the benchmark peers into bench/node_modules if missing. Called by the first suite that needs them. */
import { install, isInstalled } from "./install.mjs";
import { runStep } from "./run-step.mjs";

const folder = "bench";

await runStep(async () => {
  if (!isInstalled(folder)) await install(folder);
});
