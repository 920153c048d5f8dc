/** Decides which files of a user data directory belong to the profile. Excludes caches and files of a running browser. */

const leftOut = new RegExp(
  `^(${[
    "Cache",
    "Code Cache",
    "GPU.*",
    "Dawn.*",
    "Graphite.*",
    ".*ShaderCache",
    "component_crx_cache",
    "extensions_crx_cache",
    "Safe Browsing",
    "OptimizationGuide.*",
    "optimization_guide.*",
    "segmentation_platform",
    "Crashpad",
    "BrowserMetrics.*",
    "Singleton.*",
    "DevToolsActivePort",
    "TroupeLock",
  ].join("|")})$`,
  "s",
);

/** `path` is relative to the user data directory, with `/`. Checks only the first two levels; below, names belong to sites. */
export function isProfileFile(path: string): boolean {
  return !path
    .split("/")
    .slice(0, 2)
    .some((name) => leftOut.test(name));
}
