/** Loads a library's CommonJS modules with V8's code cache. Importing the library is most of a runner's start time. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";

export interface LoadedModule {
  exports: unknown;
  /** Writes the code cache of all loaded modules. It is valid for the same Node with the same V8 flags. */
  writeCache(): void;
}

type Wrapped = (
  this: unknown,
  exports: unknown,
  require: unknown,
  module: object,
  filename: string,
  dirname: string,
) => void;

/** Runs the module of `file`, and the modules of its package as they are required. `cacheDir` may be missing. */
export function loadModule(file: string, cacheDir: string): LoadedModule {
  const root = path.dirname(file);
  const modules = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, vm.Script>();

  const load = (filename: string): unknown => {
    const known = modules.get(filename);
    if (known !== undefined) return known.exports;
    const module: { exports: unknown } = { exports: {} };
    modules.set(filename, module);
    if (filename.endsWith(".json")) {
      module.exports = JSON.parse(readFileSync(filename, "utf8"));
      return module.exports;
    }
    const script = new vm.Script(Module.wrap(readFileSync(filename, "utf8")), {
      filename,
      cachedData: readCache(cacheFile(filename)),
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    scripts.set(filename, script);
    const run: Wrapped = script.runInThisContext();
    run.call(module.exports, module.exports, requireFrom(filename), module, filename, path.dirname(filename));
    return module.exports;
  };
  const requireFrom = (filename: string) => {
    const require = createRequire(filename);
    const ours = (id: string): unknown => {
      const resolved = require.resolve(id);
      return resolved.startsWith(root + path.sep) ? load(resolved) : require(id);
    };
    return Object.assign(ours, { resolve: require.resolve, cache: require.cache, main: require.main });
  };
  const cacheFile = (filename: string) =>
    path.join(cacheDir, `${path.relative(root, filename).replaceAll(path.sep, "+")}.bin`);

  return {
    exports: load(file),
    writeCache() {
      mkdirSync(cacheDir, { recursive: true });
      for (const [filename, script] of scripts) writeFileSync(cacheFile(filename), script.createCachedData());
    },
  };
}

/** V8 itself refuses a cache of another version or other flags. */
function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
