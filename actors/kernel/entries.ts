/** The entry module of each thread: a source file in development, a bundle in `dist/` otherwise. */

export const threadNames = ["library", "pool", "profile", "operations", "runs", "scheduler"] as const;
export type ThreadName = (typeof threadNames)[number];

// From source, a worker first loads a module that registers tsx. TROUPE_THREADS=built makes tests use the bundles, which start faster.
const isSource = import.meta.url.endsWith(".ts");
const bundles = isSource ? new URL("../../dist/", import.meta.url) : new URL("./", import.meta.url);
const fromSource = isSource && process.env.TROUPE_THREADS !== "built";

/** The module that starts a worker thread, and the entry that this module loads; `own` replaces the thread's entry. */
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

/** The module with the default export that task threads call. */
export function taskEntry(): URL {
  return fromSource ? new URL("./boot-task.mjs", import.meta.url) : new URL("tasks.js", bundles);
}
