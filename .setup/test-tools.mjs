/** Installs programs that tests need: two small proxies and an X display. If that fails, their tests are skipped. */
import { existsSync } from "node:fs";
import { say, timed } from "./say.mjs";
import { mayUseApt, runQuiet } from "./shell.mjs";

const tools = {
  "/usr/bin/tinyproxy": "tinyproxy-bin",
  "/usr/bin/microsocks": "microsocks",
  "/usr/bin/Xvfb": "xvfb",
};

export async function installTestTools() {
  const missing = Object.keys(tools).filter((path) => !existsSync(path));
  if (missing.length === 0 || !mayUseApt()) return;
  const packages = missing.map((path) => tools[path]);
  const done = await timed(`installing test tools (apt-get install ${packages.join(" ")})`, async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const waiting = ["-o", "DPkg::Lock::Timeout=120"];
    await runQuiet("apt-get", [...waiting, "update"], { env });
    return runQuiet("apt-get", [...waiting, "install", "-y", "--no-install-recommends", ...packages], {
      env,
    });
  });
  if (!done.ok) say(`apt-get ${done.why}: the tests of ${packages.join(" and ")} will be skipped`);
}
