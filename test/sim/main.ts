/** `npm run test:sim -- --seed N --runs K`: simulates K seeds from N on, and prints the last steps of the first failure. */
import { parseArgs } from "node:util";
import { simulateAll } from "./crew.ts";
import type { Outcome } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    runs: { type: "string", default: "100" },
    lines: { type: "string", default: "60" },
    threads: { type: "string" },
    "keep-going": { type: "boolean", default: false },
  },
});
const say = (text: string) => void process.stdout.write(`${text}\n`);
const first = Number(values.seed);
const runs = Number(values.runs);
const began = performance.now();
let done = 0;
const failed: Outcome[] = [];

function tell({ seed, wrong, step, trace }: Outcome): void {
  const last = trace.slice(-Number(values.lines)).join("\n");
  say(
    `seed ${seed} failed at step ${step}: ${wrong}\n${last}\nrepeat: npm run test:sim -- --seed ${seed} --runs 1\n`,
  );
}

await simulateAll(
  Array.from({ length: runs }, (_, index) => first + index),
  (outcome) => {
    done += 1;
    if (runs === 1) say(`digest ${outcome.digest}, ${outcome.step} steps`);
    if (outcome.wrong === null) return true;
    failed.push(outcome);
    if (values["keep-going"]) say(`seed ${outcome.seed}: ${outcome.wrong.split("\n")[0]}`);
    return values["keep-going"];
  },
  ...(values.threads === undefined ? [] : [Number(values.threads)]),
);
const secs = (performance.now() - began) / 1_000;
const [worst] = failed;
if (worst !== undefined) tell(worst);
say(
  `${done} simulations, ${failed.length} failed, ${secs.toFixed(1)} s (${(done / secs).toFixed(1)} a second)`,
);
process.exit(failed.length > 0 ? 1 : 0);
