/** Tries schedules of faults from a command: `node --import tsx test/actors/fleet/schedules.ts COUNT [FIRST] [BUGS as JSON]`. */
import { simulate } from "./simulation.ts";

const [count = "1000", first = "1", bugs = "{}"] = process.argv.slice(2);
let broken = 0;
for (let seed = Number(first); seed < Number(first) + Number(count); seed += 1) {
  const findings = await simulate(seed, JSON.parse(bugs));
  if (findings.length === 0) continue;
  broken += 1;
  process.stdout.write(`seed ${seed}: ${findings[0]}\n`);
}
process.stdout.write(`${count} schedules, ${broken} with findings\n`);
process.exitCode = broken === 0 ? 0 : 1;
