/** `npm run bench -- SUITE`: runs one suite, or every one, and writes its samples beside a table. */
import { runBatchSuite } from "./batch.ts";
import { runCrashesSuite } from "./crashes.ts";
import { runCyclesSuite } from "./cycles.ts";
import { runDatasetsSuite } from "./datasets.ts";
import { runFootprintSuite } from "./footprint.ts";
import { runIdentitySuite } from "./identity.ts";
import { runLaunchSuite } from "./launch.ts";
import { runScaleSuite } from "./scale.ts";
import { runScriptsSuite } from "./scripts.ts";
import { runSnapshotSuite } from "./snapshot.ts";
import { runThousandSuite } from "./thousand.ts";
import { runVerbsSuite } from "./verbs.ts";

const suites: Record<string, () => Promise<void>> = {
  launch: runLaunchSuite,
  verbs: runVerbsSuite,
  snapshot: runSnapshotSuite,
  identity: runIdentitySuite,
  footprint: runFootprintSuite,
  cycles: runCyclesSuite,
  datasets: runDatasetsSuite,
  scale: runScaleSuite,
  scripts: runScriptsSuite,
  batch: runBatchSuite,
  crashes: runCrashesSuite,
  thousand: runThousandSuite,
};
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in suites));
if (unknown.length > 0) {
  process.stderr.write(
    `no suite is called ${unknown.join(", ")}; there is: ${Object.keys(suites).join(", ")}\n`,
  );
  process.exit(2);
}
for (const [name, run] of Object.entries(suites)) {
  if (asked.length === 0 || asked.includes(name)) await run();
}
