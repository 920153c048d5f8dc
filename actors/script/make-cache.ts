/** Entry of `dist/make-cache.js` for the build: writes V8's code cache of a library, after the library did what scripts usually do. */
import { rmSync } from "node:fs";
import { loadLibrary } from "./attach.ts";
import { loadModule } from "./load-module.ts";
import { warmUp } from "./warm-up.ts";

const [library, file, cacheDir, chromiumPath] = process.argv.slice(2);
if ((library !== "playwright" && library !== "puppeteer") || file === undefined || cacheDir === undefined)
  throw new Error("usage: make-cache playwright|puppeteer MODULE CACHE-DIR [CHROMIUM]");

rmSync(cacheDir, { recursive: true, force: true }); // Keep no files of an earlier cache.
const module = loadModule(file, cacheDir);
if (chromiumPath !== undefined)
  await warmUp(loadLibrary(library, module), chromiumPath).catch((error: unknown) => {
    process.stdout.write(
      `the code cache of ${library} was not warmed, so its scripts start slower: ${error instanceof Error ? error.message : error}\n`,
    );
  });
module.writeCache();
process.exit(0); // A library may keep timers.
