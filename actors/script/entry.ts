/** The paths of the runner's bundle and of the libraries. The permission model allows no TypeScript loader, so the runner is a bundle. */
import { readdir, realpath, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { WarmRunner } from "../../protocol/profile-spec.ts";
import { replaceFile } from "../kernel/replace-file.ts";
import { memoryOf } from "./memory.ts";

export interface RunnerFiles {
  runner: string;
  module: string;
  /** V8's code cache of the library; may be missing. */
  cacheDir: string;
  readable: string[];
}

const here = fileURLToPath(import.meta.url);
const isSource = here.endsWith(".ts");
const sources = path.dirname(here);
const root = path.resolve(sources, "../..");
const bundles = isSource ? path.join(root, ".cache") : sources;

/** The absolute paths. All exist except, possibly, the cache; without `libraryCacheDir` it is the one that the build made. */
export async function runnerFiles(
  { library, approved }: WarmRunner,
  libraryCacheDir = path.join(bundles, "library-cache"),
): Promise<RunnerFiles> {
  const runner = path.join(bundles, "runner.js");
  const puppeteer = path.join(bundles, "puppeteer.cjs");
  if (isSource) await buildFromSource(runner, puppeteer);
  // V8 accepts a cache only under the same flags, and the heap limit is one.
  const cacheDir = path.join(libraryCacheDir, `${library}-${memoryOf(approved).heapMb}`);
  if (library === "puppeteer")
    return { runner, module: puppeteer, cacheDir, readable: [puppeteer, `${cacheDir}/*`] };
  const manifest = await realpath(createRequire(import.meta.url).resolve("playwright-core/package.json"));
  const packageDir = path.dirname(manifest);
  const module = path.join(packageDir, "index.js");
  return { runner, module, cacheDir, readable: [`${packageDir}/*`, `${cacheDir}/*`] };
}

/** Several threads may build at once and write the same bytes. */
async function buildFromSource(runner: string, puppeteer: string): Promise<void> {
  const bundle = { bundle: true, platform: "node", target: "node20", logLevel: "silent" } as const;
  const { build } = await import("esbuild");
  if (!(await isFresh(runner, [sources, path.join(root, "protocol")])))
    await replaceFile(runner, (outfile) =>
      build({
        ...bundle,
        entryPoints: [path.join(sources, "runner.ts")],
        outfile,
        format: "esm",
        packages: "external",
      }),
    );
  const manifest = createRequire(import.meta.url).resolve("puppeteer-core/package.json");
  const built = await modified(puppeteer);
  if (built === null || ((await modified(manifest)) ?? 0) > built)
    await replaceFile(puppeteer, (outfile) =>
      build({ ...bundle, entryPoints: ["puppeteer-core"], absWorkingDir: root, outfile, format: "cjs" }),
    );
}

async function isFresh(bundle: string, directories: string[]): Promise<boolean> {
  const built = await modified(bundle);
  if (built === null) return false;
  for (const directory of directories)
    for (const name of await readdir(directory))
      if (name.endsWith(".ts") && ((await modified(path.join(directory, name))) ?? 0) >= built) return false;
  return true;
}

async function modified(file: string): Promise<number | null> {
  return (await stat(file).catch(() => null))?.mtimeMs ?? null;
}
