/** `npm run bench -- SUITE...`: runs suites or compares two runs; see `--help`. */
import { runBatchSuite } from "./batch.ts";
import { runCeilingsSuite } from "./ceilings.ts";
import { runCopiesSuite } from "./copies.ts";
import { runCrashesSuite } from "./crashes.ts";
import { runCyclesSuite } from "./cycles.ts";
import { runDatasetsSuite } from "./datasets.ts";
import { runFootprintSuite } from "./footprint.ts";
import { runGatewaySuite } from "./gateway.ts";
import { runIdentitySuite } from "./identity.ts";
import { runIdleSuite } from "./idle.ts";
import { runLastingSuite } from "./lasting.ts";
import { runLaunchSuite } from "./launch.ts";
import { runLifecycleSuite } from "./lifecycle.ts";
import { runPoolSuite } from "./pool.ts";
import { type Asked, parseAsked, setAsked, usage } from "./run/asked.ts";
import { comparisonTable, differences, machineLines } from "./run/compare.ts";
import { endAll, endOnSignals } from "./run/ending.ts";
import { openRun, readRun } from "./run/run-file.ts";
import { runScaleSuite } from "./scale.ts";
import { runScriptsSuite } from "./scripts.ts";
import { runSnapshotSuite } from "./snapshot.ts";
import { runStorageSuite } from "./storage.ts";
import { reportInto } from "./table.ts";
import { runThousandSuite } from "./thousand.ts";
import { runVerbsSuite } from "./verbs.ts";

const suites: Record<string, () => Promise<void>> = {
  launch: runLaunchSuite,
  lifecycle: runLifecycleSuite,
  pool: runPoolSuite,
  verbs: runVerbsSuite,
  snapshot: runSnapshotSuite,
  gateway: runGatewaySuite,
  storage: runStorageSuite,
  identity: runIdentitySuite,
  footprint: runFootprintSuite,
  idle: runIdleSuite,
  cycles: runCyclesSuite,
  copies: runCopiesSuite,
  lasting: runLastingSuite,
  datasets: runDatasetsSuite,
  scale: runScaleSuite,
  scripts: runScriptsSuite,
  batch: runBatchSuite,
  ceilings: runCeilingsSuite,
  crashes: runCrashesSuite,
  thousand: runThousandSuite,
};

/** Exit code 2: wrong arguments; 1: a suite failed. */
async function main(args: readonly string[]): Promise<number> {
  let asked: Asked;
  try {
    asked = parseAsked(args);
    const unknown = asked.suites.filter((name) => !(name in suites));
    if (unknown.length > 0) throw new Error(`no suite is called ${unknown.join(", ")}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${why}\n\n${usage}\nsuites: ${Object.keys(suites).join(", ")}\n`);
    return 2;
  }
  if (asked.help) process.stdout.write(`${usage}\nsuites: ${Object.keys(suites).join(", ")}\n`);
  else if (asked.compare !== null) compare(...asked.compare);
  else return measure(asked);
  return 0;
}

function compare(fileA: string, fileB: string): void {
  const [a, b] = [readRun(fileA), readRun(fileB)];
  const found = differences(a, b);
  const shown = (name: string, file: string, at: string, slowedDown: string | null) =>
    `${name}: ${file}, ${at}${slowedDown === null ? "" : `, slowed down on purpose: ${slowedDown}`}\n`;
  process.stdout.write(shown("A", fileA, a.at, a.slowed) + shown("B", fileB, b.at, b.slowed));
  if (JSON.stringify(a.machine) !== JSON.stringify(b.machine))
    process.stdout.write("the runs are from different machines or Node versions\n");
  process.stdout.write(`\n${comparisonTable(found)}\n\n* beside the contestant that it took turns with\n`);
  for (const line of machineLines(found)) process.stdout.write(`${line}\n`);
}

async function measure(asked: Asked): Promise<number> {
  const { slow } = asked;
  setAsked(asked);
  reportInto(openRun(asked.label, slow === null ? null : `${slow.name}, ${slow.factor} times`));
  let code = 0;
  for (const [name, run] of Object.entries(suites)) {
    if (asked.suites.length > 0 && !asked.suites.includes(name)) continue;
    try {
      await run();
    } catch (error) {
      code = 1;
      process.stderr.write(`${name} broke: ${error instanceof Error ? error.stack : String(error)}\n`);
    } finally {
      await endAll();
    }
  }
  return code;
}

endOnSignals();
process.exitCode = await main(process.argv.slice(2));
