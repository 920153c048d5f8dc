/** Suite `launch`: ours over REST compared with a bare spawn, Playwright, Puppeteer and chrome-launcher, one and sixteen at a time. */
import type { ShownDevice } from "../actors/profile/chromium/switches.ts";
import { findChromium } from "../gateway/machine.ts";
import { deviceOf } from "./clients.ts";
import {
  bareLauncher,
  chromeLauncherLauncher,
  type DeviceNow,
  type Launcher,
  playwrightLauncher,
  puppeteerLauncher,
  restLauncher,
} from "./launchers.ts";
import { installPeers } from "./peers.ts";
import { roundsOf } from "./run/asked.ts";
import { seriesOf } from "./run/series.ts";
import { turnRatio } from "./run/statistics.ts";
import { type Rest, type Served, withServed } from "./served.ts";
import { announce, report, samplesTable } from "./table.ts";
import { type Kind, takeTurns } from "./taking-turns.ts";

/** With fewer rounds, the ratio varies by more than a hundredth. */
const usualRounds = 48;
const usualBurstRounds = 6;
const burstSize = 16;

const ours = "Troupe, launch over REST";
const bare = "bare spawn until its page answers";
const playwright = "Playwright, launchPersistentContext and evaluate";
const puppet = "Puppeteer, launch and evaluate";
const launcher = "chrome-launcher, launch and a raw evaluate";
const oursBurst = `Troupe, ${burstSize} launches over REST`;
const bareBurst = `${burstSize} bare spawns`;

export async function runLaunchSuite(): Promise<void> {
  await installPeers();
  const [rounds, burstRounds] = [roundsOf(usualRounds), roundsOf(usualBurstRounds)];
  const conditions = announce(
    "launch",
    `${rounds} rounds one at a time, ${burstRounds} of ${burstSize} at once`,
  );
  const chromiumPath = findChromium();
  await withServed(async (served) => {
    const { rest, atRest } = served;
    const ids = await rest.createProfiles(rounds + 1);
    const { device, learn } = lastDevice(rest);
    const single = await takeTurns(
      [
        kindOf(bare, bareLauncher(chromiumPath, device)),
        kindOf(ours, restLauncher(rest, ids, learn), atRest),
        kindOf(playwright, playwrightLauncher(chromiumPath, device)),
        kindOf(puppet, puppeteerLauncher(chromiumPath, device)),
        kindOf(launcher, await chromeLauncherLauncher(chromiumPath, device)),
      ],
      rounds,
    );
    const burst = await takeTurns(await burstKinds(chromiumPath, served, burstRounds, device), burstRounds);
    const ratio = (samples: Map<string, number[]>, of: string, over: string) =>
      turnRatio(samples.get(of) ?? [], samples.get(over) ?? []);
    report(
      "launch",
      `${samplesTable(single, bare, 1)}\n\n${samplesTable(burst, bareBurst, 1)}\n`,
      [
        { what: "launch over bare spawn", figure: ratio(single, ours, bare), limit: 1.1 },
        { what: "launch over Playwright", figure: ratio(single, ours, playwright), limit: 0.95 },
        { what: "launch over Puppeteer", figure: ratio(single, ours, puppet), limit: 1 },
        { what: "launch over chrome-launcher", figure: ratio(single, ours, launcher), limit: 1 },
        {
          what: "launches at once over bare spawns at once",
          figure: ratio(burst, oursBurst, bareBurst),
          limit: 1.15,
        },
      ],
      {
        ...conditions,
        series: [
          ...seriesOf("one at a time", single, { base: bare }),
          ...seriesOf(`${burstSize} at once`, burst, { base: bareBurst }),
        ],
      },
    );
  });
}

function kindOf(name: string, launcher: Launcher, rested = async (): Promise<void> => {}): Kind {
  return { name, run: () => launcher.launch(), after: () => launcher.stop().then(rested) };
}

/** The last launched profile's device, so that the others start with the same screen. */
function lastDevice(rest: Rest): { device: DeviceNow; learn(profileId: string): Promise<void> } {
  let last: ShownDevice | null = null;
  return {
    device: () => last,
    async learn(profileId) {
      last = await deviceOf(rest, profileId);
    },
  };
}

async function burstKinds(
  chromiumPath: string,
  { rest, atRest }: Served,
  burstRounds: number,
  device: DeviceNow,
): Promise<Kind[]> {
  const ids = await rest.createProfiles((burstRounds + 1) * burstSize);
  const many = (make: () => Launcher) => Array.from({ length: burstSize }, make);
  const kind = (name: string, launchers: Launcher[], rested = async (): Promise<void> => {}): Kind => ({
    name,
    run: () => Promise.all(launchers.map((launcher) => launcher.launch())),
    after: () => Promise.all(launchers.map((launcher) => launcher.stop())).then(rested),
  });
  return [
    kind(
      bareBurst,
      many(() => bareLauncher(chromiumPath, device)),
    ),
    kind(
      oursBurst,
      many(() => restLauncher(rest, ids)),
      atRest,
    ),
  ];
}
