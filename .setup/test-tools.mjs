/** Installs programs that tests need: two small proxies, an X display, and for the long ones promtool, a driver, two large proxies with their passwords, and what a fleet needs. If that fails, their tests are skipped. */
import { existsSync } from "node:fs";
import { say, timed } from "./say.mjs";
import { mayUseApt, runQuiet } from "./shell.mjs";

const quickTools = {
  "/usr/bin/tinyproxy": "tinyproxy-bin",
  "/usr/bin/microsocks": "microsocks",
  "/usr/bin/Xvfb": "xvfb",
};

const longTools = {
  "/usr/bin/promtool": "prometheus",
  "/usr/sbin/squid": "squid",
  "/usr/sbin/danted": "dante-server",
  "/usr/share/doc/libpam-wrapper": "libpam-wrapper",
  "/usr/bin/db5.3_load": "db5.3-util",
  "/usr/bin/chromedriver": "chromium-driver",
  "/usr/lib/python3/dist-packages/selenium": "python3-selenium",
  "/usr/lib/postgresql": "postgresql",
  "/usr/bin/swift-proxy-server": "swift-proxy",
  "/usr/bin/swift-account-server": "swift-account",
  "/usr/bin/swift-container-server": "swift-container",
  "/usr/bin/swift-object-server": "swift-object",
  "/usr/share/doc/libfaketime": "libfaketime",
};

export async function installTestTools(long) {
  const tools = long ? { ...quickTools, ...longTools } : quickTools;
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
