/** Loads Node's own modules on first use instead of at thread start, because most launches need only half of them and loading is slow. */

const required = /= require\("(node:[a-z0-9_/]+)"\);/g;
const loaded = new Set(["node:worker_threads"]);

export const lazyBuiltinBanner = `const lazyBuiltin = (name) => {
  let found;
  return new Proxy({}, { get: (_, key) => (found ??= require(name))[key] });
};`;

/** Throws if the bundle has no such import, because esbuild's format has then changed. */
export function withLazyBuiltins(text) {
  if (text.search(required) < 0)
    throw new Error("a thread's bundle imports no module of Node: esbuild's format has changed");
  return text.replace(required, (whole, name) => (loaded.has(name) ? whole : `= lazyBuiltin("${name}");`));
}
