/** The arguments of `npm run soak`. */
import { parseArgs } from "node:util";

export interface SoakOptions {
  /** Duration of the load, without warm-up and rests. */
  minutes: number;
  /** The same seed gives the same plan and choices; the processes' timing still differs. */
  seed: number;
  kills: number;
  smallDisk: boolean;
  /** Profiles in one batch that replaces the mixed load; 0: the mixed load. */
  batch: number;
}

const usage = "usage: npm run soak -- [--minutes N] [--seed S] [--kills N] [--no-full-disk] [--batch N]";

export function soakOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "30" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
      kills: { type: "string", default: "20" },
      batch: { type: "string", default: "0" },
      "no-full-disk": { type: "boolean", default: false },
    },
  });
  const number = (name: "minutes" | "seed" | "kills" | "batch") => {
    const value = Number(values[name]);
    if (!Number.isFinite(value) || value < 0)
      throw new Error(`--${name} must be a number from 0, got ${values[name]}\n${usage}`);
    return value;
  };
  return {
    minutes: number("minutes"),
    seed: number("seed"),
    kills: number("kills"),
    batch: number("batch"),
    smallDisk: !values["no-full-disk"],
  };
}
