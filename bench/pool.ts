/** Suite `pool`: launches per second and time to a usable CDP connection, 1 to 32 at once, with reused slots. */
import { findChromium } from "../gateway/machine.ts";
import type { Capacity } from "../protocol/records.ts";
import { bareLauncher, type Launcher } from "./launchers.ts";
import { openRawCdp } from "./raw-cdp.ts";
import { roundsOf } from "./run/asked.ts";
import { seriesOf } from "./run/series.ts";
import { turnRatio } from "./run/statistics.ts";
import { type Rest, withServed } from "./served.ts";
import { announce, median, report, samplesTable, table } from "./table.ts";
import { takeTurns } from "./taking-turns.ts";

const crowds = [1, 2, 4, 8, 16, 32];
const usualRounds = 4;
/** Enough to use each slot more than once. */
const sessionsOf = (atOnce: number) => Math.max(4, atOnce * 2);

const names = { ours: "Troupe over REST", bare: "bare spawn" } as const;

export async function runPoolSuite(): Promise<void> {
  const rounds = roundsOf(usualRounds);
  const conditions = announce(
    "pool",
    `launch, first CDP answer, stop; ${crowds.join(", ")} at once, ${rounds} rounds`,
  );
  await withServed(async ({ rest }) => {
    const taken: Crowd[] = [];
    for (const atOnce of crowds) taken.push(await measureCrowd(rest, atOnce, rounds));
    const { active } = await rest.get<Capacity>("/v1/capacity");
    const rates = ({ atOnce, rounds: walls }: Crowd, name: string) =>
      (walls.get(name) ?? []).map((ms) => (sessionsOf(atOnce) * 1000) / ms);
    report(
      "pool",
      [
        table([
          ["at once", "launches/s", "bare spawns/s", "by turns", "usable ms, p50", "bare, p50"],
          ...taken.map((crowd) => [
            String(crowd.atOnce),
            median(rates(crowd, names.ours)).toFixed(2),
            median(rates(crowd, names.bare)).toFixed(2),
            turnRatio(rates(crowd, names.ours), rates(crowd, names.bare)).toFixed(2),
            median(crowd.usable.get(names.ours) ?? []).toFixed(0),
            median(crowd.usable.get(names.bare) ?? []).toFixed(0),
          ]),
        ]),
        ...taken.map(({ atOnce, usable }) =>
          samplesTable(usable, names.bare, 1, `${atOnce} at once, ms until usable`),
        ),
      ].join("\n\n"),
      [{ what: "slots held after all stops", figure: active, limit: 0 }],
      {
        ...conditions,
        series: taken.flatMap((crowd) => [
          ...seriesOf(`${crowd.atOnce} at once, until usable`, crowd.usable, {
            base: names.bare,
            perTurn: sessionsOf(crowd.atOnce),
          }),
          ...seriesOf(
            `${crowd.atOnce} at once`,
            new Map([names.ours, names.bare].map((name) => [name, rates(crowd, name)])),
            { unit: "launches/s", better: "higher", base: names.bare },
          ),
        ]),
      },
    );
  });
}

interface Crowd {
  atOnce: number;
  rounds: Map<string, number[]>;
  usable: Map<string, number[]>;
}

/** Each caller opens its next session when its last has ended, so that no launch waits for a slot. */
async function measureCrowd(rest: Rest, atOnce: number, rounds: number): Promise<Crowd> {
  const usable = new Map<string, number[]>([
    [names.ours, []],
    [names.bare, []],
  ]);
  const kind = (name: string, makeWorkers: () => (() => Promise<number>)[]) => {
    let isWarm = false;
    return {
      name,
      run: async () => {
        let left = sessionsOf(atOnce);
        const work = async (session: () => Promise<number>) => {
          while (left > 0) {
            left -= 1;
            const ms = await session();
            if (isWarm) usable.get(name)?.push(ms);
          }
        };
        await Promise.all(makeWorkers().map(work));
        isWarm = true;
      },
    };
  };
  const ids = await rest.createProfiles(atOnce);
  const chromiumPath = findChromium();
  const walls = await takeTurns(
    [
      kind(names.ours, () => ids.map((id) => () => ourSession(rest, id))),
      kind(names.bare, () => ids.map(() => () => bareSession(bareLauncher(chromiumPath)))),
    ],
    rounds,
  );
  return { atOnce, rounds: walls, usable };
}

async function ourSession(rest: Rest, id: string): Promise<number> {
  const from = performance.now();
  const { cdpUrl } = await rest.launch(id);
  try {
    const page = await openRawCdp(cdpUrl);
    await page.send("Runtime.evaluate", { expression: "1 + 1" });
    const ms = performance.now() - from;
    page.close();
    return ms;
  } finally {
    await rest.stop(id);
  }
}

async function bareSession(launcher: Launcher): Promise<number> {
  const from = performance.now();
  await launcher.launch();
  const ms = performance.now() - from;
  await launcher.stop();
  return ms;
}
