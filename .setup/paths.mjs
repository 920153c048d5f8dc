/** Paths of the repository, the set-up's cache, and the user's data directory. */
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const cacheDir = join(root, ".cache");
export const distDir = join(root, "dist");

export function userDataDir() {
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "troupe");
  if (process.platform === "win32") {
    return join(process.env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "troupe");
  }
  const base = process.env.XDG_DATA_HOME ?? "";
  return join(isAbsolute(base) ? base : join(homedir(), ".local", "share"), "troupe");
}
