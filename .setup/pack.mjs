/**
 * `npm run pack`: makes the package that users install, from what the build made. It has the service, its types and documents, and a lock
 * (npm-shrinkwrap.json) of the versions that the tests ran with.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { outputs } from "./build.mjs";
import { npmCommand } from "./install.mjs";
import { packedFiles } from "./packed-files.mjs";
import { cacheDir, distDir, root } from "./paths.mjs";
import { runStep } from "./run-step.mjs";
import { StepFailure } from "./say.mjs";
import { runQuiet } from "./shell.mjs";
import { filesUnder } from "./stamp.mjs";

const readJson = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));

function filesOfBuild() {
  const parts = readdirSync(join(distDir, "page")).map((name) => `dist/page/${name}`);
  return packedFiles(outputs(), parts);
}

/** What READMEs link to. */
const documents = () => [
  "LICENSE",
  "README.md",
  "bench/FINDINGS.md",
  ...filesUnder(".github", () => true),
  ...["actors", "bench", "gateway", "protocol", "storage", "test"].flatMap((folder) =>
    filesUnder(folder, (name) => name.endsWith("/README.md")),
  ),
];
const types = ["protocol/script/troupe-script.d.ts", "protocol/openapi.json"];

function manifest() {
  const { name, version, description, license, type, engines, bin, dependencies } = readJson("package.json");
  return {
    ...{ name, version, description, license, type, engines, bin },
    exports: {
      "./script": { types: "./protocol/script/troupe-script.d.ts" },
      "./openapi.json": "./protocol/openapi.json",
      "./package.json": "./package.json",
    },
    dependencies,
  };
}

/** The lock file without what is only for development. */
function shrinkwrap(own) {
  const { packages, ...rest } = readJson("package-lock.json");
  const kept = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true);
  const { name, version, license, engines, bin, dependencies } = own;
  return {
    ...rest,
    packages: { "": { name, version, license, engines, bin, dependencies }, ...Object.fromEntries(kept) },
  };
}

const stage = join(cacheDir, "package");

/** Returns the path of the package. */
export async function pack(target = distDir) {
  rmSync(stage, { recursive: true, force: true });
  for (const file of [...filesOfBuild(), ...documents(), ...types]) {
    mkdirSync(dirname(join(stage, file)), { recursive: true });
    cpSync(join(root, file), join(stage, file));
  }
  const own = manifest();
  const write = (name, value) => writeFileSync(join(stage, name), `${JSON.stringify(value, null, 2)}\n`);
  write("package.json", own);
  write("npm-shrinkwrap.json", shrinkwrap(own));
  const npm = npmCommand();
  const args = [...npm.args, "pack", "--json", "--ignore-scripts", "--pack-destination", target];
  const done = await runQuiet(npm.command, args, { cwd: stage, shell: npm.shell });
  if (!done.ok)
    throw new StepFailure(`npm pack ${done.why}`, { tail: done.tail, remedy: "see the lines above" });
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(done.stdout);
  const mb = (bytes) => (bytes / 1e6).toFixed(1);
  const path = join(target, filename);
  process.stdout.write(`${path}\n`);
  process.stderr.write(`${entryCount} files, ${mb(size)} MB packed, ${mb(unpackedSize)} MB unpacked\n`);
  return path;
}

await runStep(() => pack(process.argv[2]));
