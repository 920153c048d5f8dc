/** Entry of `dist/make-cache.js` for the build: writes V8's code cache of a library, after the library did what scripts usually do. */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { loadLibrary } from "./attach.ts";
import { loadModule } from "./load-module.ts";
import { warmUp } from "./warm-up.ts";

const [library, file, cacheDir, chromiumPath] = process.argv.slice(2);
const cancelled = new AbortController();
// A service that makes the cache may be killed; its build has no channel.
process.once("disconnect", () => cancelled.abort());
if ((library !== "playwright" && library !== "puppeteer") || file === undefined || cacheDir === undefined)
  throw new Error("usage: make-cache playwright|puppeteer MODULE CACHE-DIR [CHROMIUM]");

rmSync(cacheDir, { recursive: true, force: true }); // Keep no files of an earlier cache.
const module = loadModule(file, cacheDir);
if (chromiumPath !== undefined)
  await warmUp(loadLibrary(library, module), chromiumPath, cancelled.signal).catch((error: unknown) => {
    if (cancelled.signal.aborted) return;
    process.stdout.write(
      `the code cache of ${library} was not warmed, so its scripts start slower: ${error instanceof Error ? error.message : error}\n`,
    );
  });
if (!cancelled.signal.aborted) module.writeCache();
// The service would have removed it.
else if (basename(tmpdir()).startsWith("troupe-cache-"))
  rmSync(tmpdir(), { recursive: true, force: true, maxRetries: 5 });
process.exit(cancelled.signal.aborted ? 1 : 0); // A library may keep timers.
