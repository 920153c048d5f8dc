/** Parses the arguments of `npm run bench`, and applies effort and slowdown. */
import { parseArgs } from "node:util";

export interface Asked {
  suites: string[];
  compare: [string, string] | null;
  label: string;
  /** The share of the usual rounds, such as 0.25 for a quick run. */
  effort: number;
  slow: Slow | null;
  help: boolean;
}

export interface Slow {
  name: string;
  factor: number;
}

export const usage = `npm run bench -- [SUITE...] [--label NAME] [--effort SHARE] [--slow NAME=PERCENT]
npm run bench -- --compare A.json B.json

  --label NAME         goes into the name of the run's files
  --effort SHARE       share of the rounds, as 0.25 for a quick look; 1 is usual
  --slow NAME=PERCENT  what is called NAME (or contains it) takes so much longer, to see that a comparison shows it
  --compare A B        two runs: medians, ratios, and whether a difference means anything
`;

export function parseAsked(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      compare: { type: "boolean" },
      label: { type: "string", default: "" },
      effort: { type: "string", default: "1" },
      slow: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const effort = Number(values.effort);
  if (!(effort > 0 && effort <= 10))
    throw new Error(`--effort must be a number above 0, such as 0.25, got ${values.effort}`);
  if (!/^[\w.-]*$/.test(values.label))
    throw new Error("--label may contain letters, digits, dots, dashes and underscores");
  const [a, b, ...more] = positionals;
  const isComparison = values.compare === true;
  if (isComparison && (a === undefined || b === undefined || more.length > 0))
    throw new Error("--compare takes two run files");
  return {
    suites: isComparison ? [] : positionals,
    compare: isComparison && a !== undefined && b !== undefined ? [a, b] : null,
    label: values.label,
    effort,
    slow: values.slow === undefined ? null : slowOf(values.slow),
    help: values.help,
  };
}

function slowOf(text: string): Slow {
  const [, name = "", percent = ""] = /^(.+)=(\d+(?:\.\d+)?)%?$/.exec(text) ?? [];
  if (name === "") throw new Error(`--slow is NAME=PERCENT, as Troupe=20, not ${text}`);
  return { name, factor: 1 + Number(percent) / 100 };
}

let effort = 1;
let slow: Slow | null = null;

export function setAsked(asked: Pick<Asked, "effort" | "slow">): void {
  effort = asked.effort;
  slow = asked.slow;
}

export function roundsOf(usual: number): number {
  return Math.max(3, Math.round(usual * effort));
}

export function slowed<Result>(name: string, run: () => Promise<Result>): () => Promise<Result> {
  if (slow === null || !name.includes(slow.name)) return run;
  const { factor } = slow;
  return async () => {
    const from = performance.now();
    const result = await run();
    const until = from + (performance.now() - from) * factor;
    // Timers are up to a millisecond late, longer than many calls: spin at the end.
    const waitMs = until - performance.now() - 2;
    if (waitMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, waitMs));
    while (performance.now() < until) await new Promise<void>((resolve) => setImmediate(resolve));
    return result;
  };
}
