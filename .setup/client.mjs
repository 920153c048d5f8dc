/** `npm run client`: generates, compiles and packs @troupe/client, in its own folder with its own packages. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { install, isInstalled, npmCommand } from "./install.mjs";
import { distDir, root } from "./paths.mjs";
import { runStep } from "./run-step.mjs";
import { StepFailure } from "./say.mjs";
import { runQuiet } from "./shell.mjs";

const folder = "gateway/client";
const cwd = join(root, folder);
const installed = (...path) => join(cwd, "node_modules", ...path);

async function step(what, command, args, options = {}) {
  const done = await runQuiet(command, args, { cwd, ...options });
  if (!done.ok)
    throw new StepFailure(`${what} ${done.why}`, { tail: done.tail, remedy: "fix what it names" });
  return done.stdout.trim();
}

await runStep(async () => {
  if (!isInstalled(folder)) await install(folder);
  const document = join(root, "protocol", "openapi.json");
  const generator = [installed("openapi-typescript", "bin", "cli.js"), document];
  await step("openapi-typescript", process.execPath, [...generator, "-o", "generated/schema.ts"]);
  await step("tsc", process.execPath, [installed("typescript", "bin", "tsc"), "-p", "."]);
  mkdirSync(distDir, { recursive: true });
  const npm = npmCommand();
  const name = await step(
    "npm pack",
    npm.command,
    [...npm.args, "pack", "--silent", "--pack-destination", distDir],
    npm,
  );
  process.stdout.write(`${join(distDir, name)}\n`);
});
