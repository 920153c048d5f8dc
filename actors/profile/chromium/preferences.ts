/** Chromium's own preferences in a user data directory, for what no switch sets. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirs } from "../../kernel/make-dir.ts";

/** `chrome::NetworkPredictionOptions::kDisabled`. */
const never = 2;

/**
 * Turns speculative loading off. A page's speculation rules load addresses without asking the Fetch domain, so no guard of a
 * script's pages (actors/script/README.md, "Sandbox") would see the request, and no device its headers. Call it while no browser uses the directory.
 */
export async function forbidSpeculation(userDataDir: string): Promise<void> {
  const dir = join(userDataDir, "Default");
  const file = join(dir, "Preferences");
  const preferences = objectIn(await readFile(file, "utf8").catch(() => ""));
  const net = objectOf(preferences.net);
  if (net.network_prediction_options === never) return;
  await makeDirs(dir);
  const wanted = { ...preferences, net: { ...net, network_prediction_options: never } };
  await writeFile(file, JSON.stringify(wanted), { mode: 0o600 });
}

/** Chromium starts with new preferences where these cannot be read, so a damaged file counts as empty. */
function objectIn(text: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
