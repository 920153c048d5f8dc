/** Where the code of each thread is: a source file while developing, one bundle a thread in `dist/`. */

/** The threads that have an entry of their own. */
export type ThreadName = "library" | "pool" | "profile" | "runs" | "scheduler";

/**
 * From source, workers start through a small module that registers tsx first; bundles start as they are. A whole test run
 * starts many services and has just built the bundles: with TROUPE_THREADS=built it starts them from those. Three files of
 * gateway tests took 9.5 s of processor time so, and 15.3 s from source. One test file by hand runs what stands in the sources.
 */
const isSource = import.meta.url.endsWith(".ts");
const bundles = isSource ? new URL("../../dist/", import.meta.url) : new URL("./", import.meta.url);
const fromSource = isSource && process.env.TROUPE_THREADS !== "built";

/** The module a worker thread is to be started with, and the entry it is to load; `own` is another than the thread's. */
export function threadEntry(name: ThreadName, own?: string): { start: URL; entry: string } {
  if (own !== undefined) {
    return { start: own.endsWith(".ts") ? new URL("./boot.mjs", import.meta.url) : new URL(own), entry: own };
  }
  if (!fromSource) {
    const bundle = new URL(`${name}.cjs`, bundles);
    return { start: bundle, entry: bundle.href };
  }
  return {
    start: new URL("./boot.mjs", import.meta.url),
    entry: new URL(`../${name}/actor.ts`, import.meta.url).href,
  };
}

/** The module whose default export task threads call. */
export function taskEntry(): URL {
  return fromSource ? new URL("./boot-task.mjs", import.meta.url) : new URL("tasks.js", bundles);
}
