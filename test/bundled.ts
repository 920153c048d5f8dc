/** Bundles a module for a thread or process that a test starts, because tsx takes longer to load it than most of them run. */
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const packages = fileURLToPath(new URL("../node_modules", import.meta.url));

/** The address of the bundle of `module`, a source file; it is removed when this process ends. */
export async function bundled(module: URL): Promise<string> {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "troupe-bundle-"));
  process.once("exit", () => rmSync(dir, { recursive: true, force: true }));
  symlinkSync(packages, join(dir, "node_modules"));
  const outfile = join(dir, "module.mjs");
  await build({
    entryPoints: [fileURLToPath(module)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  return pathToFileURL(outfile).href;
}
