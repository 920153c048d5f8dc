/** Installs the peers of the benchmarks into bench/node_modules, unless they are there; the first suite that needs them calls it. */
import { install, isInstalled } from "./install.mjs";
import { runStep } from "./run-step.mjs";

const folder = "bench";

await runStep(async () => {
  if (!isInstalled(folder)) await install(folder);
});
