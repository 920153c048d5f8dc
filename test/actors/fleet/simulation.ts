/** A fleet in virtual time: workers, guards, lost messages and stopped processes, over the ledger in memory and the rules that the fleet uses. */
import { createRandom } from "../../seeded-random.ts";
import { createMemoryLedger } from "./memory-ledger.ts";
import { type Bugs, type Machine, newMachine, Workers, type World } from "./simulated-workers.ts";
import { goOn, kill, VirtualTime } from "./virtual-time.ts";

const workersCount = 3;
const profilesCount = 4;
const runsCount = 4;
const faultsCount = 12;
const endMs = 600_000;
const faultsEndMs = 250_000;
/** The longest hole, and a stop. */
const settleMs = 130_000;

/** What went wrong, in the order in which it did; empty: nothing. */
export async function simulate(seed: number, bugs: Bugs = {}): Promise<string[]> {
  const random = createRandom(seed);
  const findings: string[] = [];
  const time = new VirtualTime();
  const ledger = createMemoryLedger(() => time.now, bugs);
  const world: World = {
    time,
    ledger,
    machines: Array.from({ length: workersCount }, (_, index) => newMachine(index, 0.995 + random() * 0.01)),
    bugs,
    random,
    between: (least, most) => least + Math.floor(random() * (most - least + 1)),
    databaseAwayUntil: 0,
    found: (finding) => findings.push(`${time.now}: ${finding}`),
  };
  const workers = new Workers(world);
  await publishAll(world);
  for (const machine of world.machines) {
    workers.start(machine);
    workers.guardLooks(machine);
  }
  for (let count = 0; count < faultsCount; count += 1)
    time.at(world.between(5_000, faultsEndMs), () => fault(world, workers));
  const parts = () => [...ledger.parts.values()];
  const allEnded = () =>
    parts().length === profilesCount * runsCount && parts().every(({ state }) => state === "ended");
  await time.run((at) => at > endMs || (at > faultsEndMs + settleMs && allEnded()));
  for (const { runId, profileId, state } of parts())
    if (state !== "ended") findings.push(`${runId} ${profileId} is ${state} at the end`);
  return findings;
}

/** The head publishes a profile's next part when the one before has ended. */
async function publishAll({ ledger, time, between }: World): Promise<void> {
  const publish = async (runId: string, profileId: string): Promise<void> => {
    const isOpen = [...ledger.parts.values()].some(
      (part) => part.profileId === profileId && part.state !== "ended",
    );
    if (isOpen) time.at(1_000, () => publish(runId, profileId));
    else await ledger.publish({ runId, profileId }, new Uint8Array());
  };
  for (let index = 0; index < profilesCount; index += 1) {
    const archive = { key: `p${index}/1`, sha256: "", bytes: 1 };
    await ledger.give(`p${index}`, { archive, platform: "linux", engine: 1, label: "", proxied: false });
    for (let run = 0; run < runsCount; run += 1)
      time.at(run * 30_000 + between(0, 20_000), () => publish(`r${run}`, `p${index}`));
  }
}

/** Never a worker and its guard stopped at the same time. */
function fault(world: World, workers: Workers): void {
  const { time, random, between, machines } = world;
  const machine = machines[between(0, workersCount - 1)] as Machine;
  const process = random() < 0.5 ? machine.worker : machine.guard;
  const bothRun = machine.worker.state === "runs" && machine.guard.state === "runs";
  const kind = between(0, 4);
  if (kind === 0) machine.holeUntil = time.now + between(1_000, 90_000);
  else if (kind === 1) world.databaseAwayUntil = time.now + between(500, 30_000);
  else if (kind === 2 && process === machine.worker) workers.kill(machine);
  else if (kind === 2 && machine.worker.state === "runs") {
    kill(machine.guard);
    workers.kill(machine); // The line to it has closed.
  } else if (kind > 2 && bothRun) {
    process.state = "stopped";
    const { life } = process;
    time.at(between(1_000, 120_000), () => {
      if (process.life === life && process.state === "stopped") goOn(process, random() < 0.5);
    });
  }
}
