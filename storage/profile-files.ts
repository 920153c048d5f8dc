/** Which files of a user data directory are the profile: not what Chromium makes anew, nor what belongs to one running browser. */

/** Names in a user data directory, and in the profile folder in it, of what an archive leaves out. */
const leftOut = new RegExp(
  `^(${[
    // Caches, of pages, of code and of the graphics card's.
    "Cache",
    "Code Cache",
    "GPU.*",
    "Dawn.*",
    "Graphite.*",
    ".*ShaderCache",
    // What Chromium fetches for itself.
    "component_crx_cache",
    "extensions_crx_cache",
    "Safe Browsing",
    "OptimizationGuide.*",
    "optimization_guide.*",
    "segmentation_platform",
    // Reports, and marks of a running browser.
    "Crashpad",
    "BrowserMetrics.*",
    "Singleton.*",
    "DevToolsActivePort",
    "TroupeLock",
  ].join("|")})$`,
);

/** `path` is relative to the user data directory, with `/` between its names. Deeper down names are those of sites. */
export function isProfileFile(path: string): boolean {
  return !path
    .split("/")
    .slice(0, 2)
    .some((name) => leftOut.test(name));
}
