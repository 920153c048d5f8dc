/** Paths of the repository, the set-up's cache, and the user's data directory. */
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const cacheDir = join(root, ".cache");
export const distDir = join(root, "dist");

/** As `defaultDataDir` of gateway/instance.ts. */
export function userDataDir(platform = process.platform, env = process.env) {
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "Troupe");
  if (platform === "win32") {
    return join(env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "Troupe");
  }
  const base = env.XDG_DATA_HOME ?? "";
  return join(isAbsolute(base) ? base : join(homedir(), ".local", "share"), "troupe");
}
