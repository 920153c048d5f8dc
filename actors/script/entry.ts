/**
 * Where the runner's bundle and the libraries' modules are.
 *
 * The permission model leaves no room for a TypeScript loader, so the runner is a bundle always: `dist/runner.js` beside
 * the running bundle, or, when the service runs from source, `.cache/runner.js`, built on demand and again when its
 * sources are newer.
 */
import { mkdir, readdir, rename, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ScriptLibrary } from "../../protocol/scalars.ts";

/** Absolute path of the runner's bundle. */
export async function runnerEntry(): Promise<string> {
  const here = fileURLToPath(import.meta.url);
  if (!here.endsWith(".ts")) return path.join(path.dirname(here), "runner.js");
  const sources = path.dirname(here);
  const root = path.resolve(sources, "../..");
  const bundle = path.join(root, ".cache", "runner.js");
  if (await isFresh(bundle, [sources, path.join(root, "protocol")])) return bundle;
  await mkdir(path.dirname(bundle), { recursive: true });
  const { build } = await import("esbuild");
  // Several threads may build at once; each writes its own file, and the last rename wins with the same bytes.
  const draft = `${bundle}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await build({
    entryPoints: [path.join(sources, "runner.ts")],
    outfile: draft,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "silent",
  });
  await rename(draft, bundle);
  return bundle;
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

/** Module path of each library, below its package: the ESM builds, which are what a script's `import` means. */
const modules = {
  playwright: { package: "playwright-core", module: "index.mjs" },
  puppeteer: { package: "puppeteer-core", module: "lib/esm/puppeteer/puppeteer-core.js" },
} as const;

/** The library's module, and the directory of packages that it may read. */
export function libraryModule(library: ScriptLibrary): { file: string; packagesDir: string } {
  const { package: name, module } = modules[library];
  const packageDir = path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  return { file: path.join(packageDir, module), packagesDir: path.dirname(packageDir) };
}
