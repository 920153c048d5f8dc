/** Where things are: the repository, the cache of the set-up, and the user's own data directory. */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const cacheDir = join(root, ".cache");
export const distDir = join(root, "dist");

/** The platform's directory for this user's application data, as the command line uses it. */
export function userDataDir() {
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "troupe");
  if (process.platform === "win32") {
    return join(process.env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "troupe");
  }
  return join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "troupe");
}
