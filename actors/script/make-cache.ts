/**
 * Entry of `dist/make-cache.js`, which the build runs: writes V8's code cache of a library, with the functions in it that scripts
 * call. V8 compiles a function when it is called first, and a cache holds what has been compiled: so the library drives a browser
 * through what scripts usually do before its cache is written. Arguments: the library's name, its module, the directory of the
 * cache, and a Chromium; without one, or where it does not start, the cache holds what the import alone has compiled.
 */
import { rmSync } from "node:fs";
import { loadLibrary } from "./attach.ts";
import { loadModule } from "./load-module.ts";
import { rehearse } from "./rehearsal.ts";

const [library, file, cacheDir, chromiumPath] = process.argv.slice(2);
if ((library !== "playwright" && library !== "puppeteer") || file === undefined || cacheDir === undefined)
  throw new Error("usage: make-cache playwright|puppeteer MODULE CACHE-DIR [CHROMIUM]");

rmSync(cacheDir, { recursive: true, force: true }); // What an earlier one holds is not to be handed on.
const module = loadModule(file, cacheDir);
if (chromiumPath !== undefined)
  await rehearse(loadLibrary(library, module), chromiumPath).catch((error: unknown) => {
    process.stdout.write(`${library} was not rehearsed: ${error instanceof Error ? error.message : error}\n`);
  });
module.writeCache();
process.exit(0); // A library may keep timers.
