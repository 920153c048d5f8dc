/** Suite `cycles`: many launches and stops; what remains of them, and whether late launches are as fast as early ones. */
import { findChromium } from "../gateway/machine.ts";
import { bareLauncher, type Launcher } from "./launchers.ts";
import { descriptorCount, type Holdings, holdingsAtRest } from "./leftovers.ts";
import { type Served, withServed } from "./served.ts";
import { announce, median, report, samplesTable, table } from "./table.ts";

const cycles = 300;
const profiles = 8;
const compared = 50;

export async function runCyclesSuite(): Promise<void> {
  const conditions = announce("cycles", `${cycles} launches and stops on ${profiles} profiles`);
  await withServed(async (served) => {
    const ids = await served.rest.createProfiles(profiles);
    // A profile's first launch creates its directory: do it before counting.
    for (const id of ids) await cycle(served, id);
    const before = await holdingsAtRest(served);
    const bare = bareLauncher(findChromium());
    const launches: number[] = [];
    const bareLaunches: number[] = [];
    for (let done = 0; done < cycles; done++) {
      launches.push(await cycle(served, ids[done % profiles] ?? ""));
      // Compare with bare launches at the same time, because the machine's load affects both.
      const isCompared = done < compared || done >= cycles - compared;
      if (isCompared) bareLaunches.push(await bareCycle(bare));
    }
    const after = await holdingsAtRest(served, before);
    const first = launches.slice(0, compared);
    const last = launches.slice(-compared);
    const bareFirst = bareLaunches.slice(0, compared);
    const bareLast = bareLaunches.slice(-compared);
    const firstName = `first ${compared} launches`;
    const samples = new Map([
      [firstName, first],
      [`last ${compared} launches`, last],
      [`all ${cycles}`, launches],
      [`bare spawns beside the first`, bareFirst],
      [`bare spawns beside the last`, bareLast],
    ]);
    const grown = (what: string, count: (held: Holdings) => number) => ({
      what: `${what} more than before`,
      figure: count(after) - count(before),
      limit: 0,
    });
    report(
      "cycles",
      `${samplesTable(samples, firstName, 1)}\n\n${holdingsTable(before, after)}\n`,
      [
        {
          what: "last launches over first, each over the bare spawns beside them",
          figure: median(last) / median(bareLast) / (median(first) / median(bareFirst)),
          limit: 1.1,
        },
        grown("processes", (held) => held.processes),
        grown("descriptors", descriptorCount),
        grown("threads", (held) => held.threads),
        grown("temporary directories", (held) => held.temporaries.length),
        grown("locks", (held) => held.locks.length),
      ],
      { ...conditions, launches, bareLaunches, before, after },
    );
  });
}

async function cycle({ rest }: Served, id: string): Promise<number> {
  const from = performance.now();
  await rest.launch(id);
  const took = performance.now() - from;
  await rest.stop(id);
  return took;
}

async function bareCycle(launcher: Launcher): Promise<number> {
  const from = performance.now();
  await launcher.launch();
  const took = performance.now() - from;
  await launcher.stop();
  return took;
}

function holdingsTable(before: Holdings, after: Holdings): string {
  const row = (name: string, count: (held: Holdings) => number) => [
    name,
    String(count(before)),
    String(count(after)),
  ];
  return table([
    ["held by the service", "before", "after"],
    row("processes", (held) => held.processes),
    row("descriptors", descriptorCount),
    row("threads", (held) => held.threads),
    row("temporary directories", (held) => held.temporaries.length),
    row("locks", (held) => held.locks.length),
  ]);
}
