/** Installs the packages of another manifest into its folder if missing: bench, or the one that is given. Called by what needs them. */
import { install, isInstalled } from "./install.mjs";
import { runStep } from "./run-step.mjs";

const folder = process.argv[2] ?? "bench";

await runStep(async () => {
  if (!isInstalled(folder)) await install(folder);
});
