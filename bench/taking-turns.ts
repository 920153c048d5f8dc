/** Measures alternatives in turns, so that busy moments of the machine affect all of them. */
import { Bench } from "tinybench";
import { slowed } from "./run/asked.ts";
import { openBar } from "./run/progress.ts";

export interface Kind {
  name: string;
  run(): Promise<unknown>;
  after?(): Promise<unknown>;
}

/** Milliseconds by kind: `rounds` times `callsPerTurn`, after one uncounted round that fills caches. `turnOrder` varies the order. */
export async function takeTurns(
  kinds: readonly Kind[],
  rounds: number,
  callsPerTurn = 1,
): Promise<Map<string, number[]>> {
  const benches = kinds.map((kind) => benchOf(kind, callsPerTurn));
  const samples = new Map<string, number[]>(kinds.map(({ name }) => [name, []]));
  const bar = openBar("warming up", (rounds + 1) * kinds.length);
  for (let round = -1; round < rounds; round++) {
    for (const at of turnOrder(benches.length, round + 1)) {
      const bench = benches[at];
      await bench?.run();
      for (const task of bench?.tasks ?? []) {
        const { result } = task;
        if (result.state !== "completed")
          throw new Error(`${task.name}: ${String(Reflect.get(result, "error") ?? result.state)}`);
        if (round >= 0) samples.get(task.name)?.push(...(result.latency.samples ?? []));
      }
      bench?.reset();
      bar.step(bench?.tasks[0]?.name);
    }
  }
  bar.end();
  return samples;
}

/** The order of a round. Every kind starts equally often. Every second cycle is reversed, so that none always follows the same other. */
export function turnOrder(kinds: number, round: number): number[] {
  const order = Array.from({ length: kinds }, (_, at) => (at + round) % kinds);
  return Math.floor(round / kinds) % 2 === 1 ? order.reverse() : order;
}

function benchOf({ name, run, after }: Kind, iterations: number): Bench {
  const bench = new Bench({ iterations, time: 0, warmup: false, retainSamples: true });
  return bench.add(
    name,
    slowed(name, async () => run()),
    {
      async: true, // Otherwise tinybench calls it once more to detect this, and discards the call.
      ...(after === undefined
        ? {}
        : {
            afterEach: async () => {
              await after();
            },
          }),
    },
  );
}
