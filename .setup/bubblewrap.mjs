/** Installs bubblewrap, which isolates scripts from files. Without it, scripts use `unshare`. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDir } from "./paths.mjs";
import { say, timed } from "./say.mjs";
import { mayUseApt, runQuiet } from "./shell.mjs";

const notePath = join(cacheDir, "no-bubblewrap");

export function hasBubblewrap() {
  return !mayUseApt() || ["/usr/bin/bwrap", "/bin/bwrap", notePath].some(existsSync);
}

export async function installBubblewrap() {
  const done = await timed("installing bubblewrap (apt-get install bubblewrap)", async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const apt = (...args) => runQuiet("apt-get", ["-o", "DPkg::Lock::Timeout=120", ...args], { env });
    const first = await apt("install", "-y", "bubblewrap");
    if (first.ok) return first;
    await apt("update");
    return apt("install", "-y", "bubblewrap");
  }).catch((error) => ({ ok: false, why: error.message }));
  if (done.ok) return;
  say(
    `apt-get could not install bubblewrap (it ${done.why}); scripts are isolated by unshare where that works`,
  );
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(notePath, "");
}
