/** Measures several ways to do one thing, taking turns, so that a busy moment of the machine meets all of them. */
import { Bench } from "tinybench";
import { slowed } from "./run/asked.ts";
import { openBar } from "./run/progress.ts";

export interface Kind {
  name: string;
  /** What is timed. */
  run(): Promise<unknown>;
  /** Puts back what `run` did; not timed. */
  after?(): Promise<unknown>;
}

/**
 * Milliseconds by kind, `rounds` times `callsPerTurn` of each. A first round is not counted: it fills caches. Each round begins
 * with another kind and every second one goes backwards, so that no kind always comes after the same other.
 */
export async function takeTurns(
  kinds: readonly Kind[],
  rounds: number,
  callsPerTurn = 1,
): Promise<Map<string, number[]>> {
  const benches = kinds.map((kind) => benchOf(kind, callsPerTurn));
  const samples = new Map<string, number[]>(kinds.map(({ name }) => [name, []]));
  const bar = openBar("warming up", (rounds + 1) * kinds.length);
  for (let round = -1; round < rounds; round++) {
    const turn = benches.map((_, at) => benches[(at + round + 1) % benches.length]);
    if (round % 2 === 1) turn.reverse();
    for (const bench of turn) {
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

function benchOf({ name, run, after }: Kind, iterations: number): Bench {
  const bench = new Bench({ iterations, time: 0, warmup: false, retainSamples: true });
  return bench.add(
    name,
    slowed(name, async () => run()),
    {
      async: true, // Found out by itself, it would be called once more and that call left.
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
