/** Loads unpacked extensions into a browser that starts. Chromium forgets them at its end, and keeps their data. */
import type { LaunchExtension } from "../../../protocol/extensions.ts";
import { Fault } from "../../../protocol/faults.ts";
import { type CdpSession, failureOf } from "../cdp/session.ts";

/** Without it Chromium refuses to load one over the pipe. `--load-extension` would say nothing about one that does not load. */
export const extensionSwitches = ["--enable-unsafe-extension-debugging"];

/** Throws `conflict` before the launch: nothing of a profile with a proxy connects directly. */
export function refuseProxyChange(extensions: readonly LaunchExtension[]): void {
  const [one] = extensions.filter(({ changesProxy }) => changesProxy);
  if (one === undefined) return;
  throw new Fault(
    "conflict",
    `extension ${one.name} may change the proxy (permission "proxy"), and this profile has one`,
  );
}

/** Throws with Chromium's reason. */
export async function loadExtensions(
  browser: CdpSession,
  extensions: readonly LaunchExtension[],
): Promise<void> {
  for (const { name, dir } of extensions) {
    await browser.send("Extensions.loadUnpacked", { path: dir }).catch((error: unknown) => {
      if (failureOf(error) !== "refused" || !(error instanceof Error)) throw error;
      throw new Error(`the browser refuses extension ${name}: ${error.message}`);
    });
  }
}
