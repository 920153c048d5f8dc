/**
 * V8's code cache of the script libraries for an installed package: V8 takes only the cache of its own version, so the first start with
 * this release and this Node makes it, in the background. In a checkout the build has made it.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { signalGroup, spawnLeader } from "../actors/kernel/process-group.ts";
import { steppedBackNice } from "../actors/kernel/process-priority.ts";
import { limits } from "../protocol/limits.ts";
import { packageVersion } from "./version.ts";

export interface LibraryCaches {
  dir: string;
  /** Makes those that are missing, one after the other; scripts start without, more slowly. */
  make(chromiumPath: string): Promise<void>;
  /** Resolves when the program that makes one has ended, with its browser. */
  stop(): Promise<void>;
}

/** Of the scripts that the user approved, and of the others. */
const heaps = [limits.scriptMemoryApproved.heapMb, limits.scriptMemoryUnapproved.heapMb];
/** Its browser closes within this. */
const endMs = 10_000;
/** The directories of other releases, or of other versions of Node. */
const versions = /^\d+\.\d+\.\d+\S*-v\d+\.\d+\.\d+/;
const here = dirname(fileURLToPath(import.meta.url));
const bundles = import.meta.url.endsWith(".ts") ? join(here, "..", "dist") : here;

/** Null where the build has made them. */
export function createLibraryCaches(
  cacheDir: string,
  built = join(bundles, "library-cache"),
): LibraryCaches | null {
  if (existsSync(built)) return null;
  const all = join(cacheDir, "libraries");
  const dir = join(all, `${packageVersion()}-${process.version}`);
  let child: ChildProcess | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  let stopped = false;

  const makeOne = async (library: string, module: string, heapMb: number, chromiumPath: string) => {
    const target = join(dir, `${library}-${heapMb}`);
    if (stopped || existsSync(target)) return;
    const draft = `${target}.new`;
    const tempDir = mkdtempSync(join(tmpdir(), "troupe-cache-")); // Of its browser, which may be killed.
    const program = join(bundles, "make-cache.js");
    const flags = [`--max-old-space-size=${heapMb}`, "--no-warnings"];
    child = spawnLeader(
      process.execPath,
      [...flags, program, library, module, draft, chromiumPath],
      // The channel ends it with the service.
      { stdio: ["ignore", "ignore", "ignore", "ipc"], env: { ...process.env, TMPDIR: tempDir } },
      steppedBackNice(),
    );
    const exit = once(child, "exit");
    ended = exit;
    const [code] = await exit;
    child = null;
    rmSync(tempDir, { recursive: true, force: true, maxRetries: 5 });
    if (code === 0) renameSync(draft, target);
    else if (!stopped) throw new Error(`the code cache of ${library} ended with code ${code}`);
  };
  return {
    dir,
    async make(chromiumPath) {
      mkdirSync(dir, { recursive: true });
      for (const name of readdirSync(all))
        if (name !== basename(dir) && versions.test(name))
          rmSync(join(all, name), { recursive: true, force: true });
      for (const [library, module] of Object.entries(modules()))
        for (const heapMb of heaps) await makeOne(library, module, heapMb, chromiumPath);
    },
    async stop() {
      stopped = true;
      if (child === null) return;
      if (child.connected) child.disconnect();
      const late = setTimeout(() => child !== null && signalGroup(child, "SIGKILL"), endMs);
      await ended.catch(() => {});
      clearTimeout(late);
    },
  };
}

function modules(): Record<string, string> {
  const { resolve } = createRequire(import.meta.url);
  const playwright = join(dirname(realpathSync(resolve("playwright-core/package.json"))), "index.js");
  return { playwright, puppeteer: join(bundles, "puppeteer.cjs") };
}
