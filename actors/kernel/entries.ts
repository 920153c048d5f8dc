/** Where the code of each thread is: a source file while developing, one bundle a thread in `dist/`. */

/** The threads that have an entry of their own. */
export type ThreadName = "library" | "pool" | "profile" | "runs" | "scheduler";

/** From source, workers start through a small module that registers tsx first; bundles start as they are. */
const fromSource = import.meta.url.endsWith(".ts");

/** The module a worker thread is to be started with, and the entry it is to load. */
export function threadEntry(name: ThreadName): { start: URL; entry: string } {
  if (!fromSource) {
    const bundle = new URL(`./${name}.js`, import.meta.url);
    return { start: bundle, entry: bundle.href };
  }
  return {
    start: new URL("./boot.mjs", import.meta.url),
    entry: new URL(`../${name}/actor.ts`, import.meta.url).href,
  };
}

/** The module whose default export task threads call. */
export function taskEntry(): URL {
  return new URL(fromSource ? "./boot-task.mjs" : "./tasks.js", import.meta.url);
}
