/** What `npm run soak` is asked for. */
import { parseArgs } from "node:util";

export interface SoakOptions {
  /** How long the load lasts, between the warm-up and the rest at the end. */
  minutes: number;
  /** Of what is chosen by chance: the same seed gives the same plan of kills and choices, at other moments of the processes. */
  seed: number;
  kills: number;
  /** The data directory is a small disk of its own, which is filled once. */
  smallDisk: boolean;
  /** Instead of the mixed load one batch of so many profiles, of which many misbehave; 0: the mixed load. */
  batch: number;
}

const usage = "usage: npm run soak -- [--minutes N] [--seed S] [--kills N] [--no-full-disk] [--batch N]";

/** Throws with the usage for what it does not know. */
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
    if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} is not a number\n${usage}`);
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
