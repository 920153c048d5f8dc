/**
 * Modules of Node itself are loaded when something of them is first used, and not when a thread starts: of what the profile's
 * thread names (http, https, tls, crypto …) most launches use half, and loading all of it is half of what its start costs.
 */

/** A module that is asked for by its whole name, as esbuild writes the imports of a CommonJS bundle. */
const required = /= require\("(node:[a-z0-9_/]+)"\);/g;
/** There is one in every thread, loaded before any code of ours. */
const loaded = new Set(["node:worker_threads"]);

/** Stands at the head of such a bundle. */
export const lazyBuiltinBanner = `const lazyBuiltin = (name) => {
  let found;
  return new Proxy({}, { get: (_, key) => (found ??= require(name))[key] });
};`;

/** The bundle with its imports of Node's modules made lazy. Throws when it has none: then esbuild writes them otherwise. */
export function withLazyBuiltins(text) {
  if (text.search(required) < 0)
    throw new Error("a thread's bundle imports nothing of Node: its imports are written in another way");
  return text.replace(required, (whole, name) => (loaded.has(name) ? whole : `= lazyBuiltin("${name}");`));
}
