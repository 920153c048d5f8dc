/** Step 3: installs a Chromium where none is found, as the first start of an installed package does. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildEntries } from "./build.mjs";
import { distDir } from "./paths.mjs";
import { StepFailure, say, timed } from "./say.mjs";

export async function installChromium() {
  await buildEntries(["install-chromium"]);
  const { installChromium: install } = await import(
    pathToFileURL(join(distDir, "install-chromium.cjs")).href
  );
  await timed("finding a Chromium for this machine", () =>
    install({ say }).catch((error) => {
      throw new StepFailure(error.message, { remedy: "then run the command again" });
    }),
  );
}
