/** The line between a worker and its guard: JSON lines to the guard, single bytes to the worker. */
import { uptime } from "node:os";

/** Both clocks of the machine: one also runs while the machine sleeps, the other is never set. The same in every process. */
export interface Moment {
  upMs: number;
  steadyMs: number;
}

export function momentNow(): Moment {
  return { upMs: uptime() * 1000, steadyMs: Number(process.hrtime.bigint() / 1_000_000n) };
}

/** The longer of what the two clocks say. */
export function msSince({ upMs, steadyMs }: Moment, now = momentNow()): number {
  return Math.max(now.upMs - upMs, now.steadyMs - steadyMs);
}

/** A worker's message: its last confirmed sign of life, as it was before it was sent, and the profiles that it has. */
export interface GuardMessage {
  confirmed: Moment;
  holding: number;
  /** The service stops in order; it has no profile any more. */
  leaving: boolean;
}

/** Splits chunks into messages. */
export function createLines(take: (message: GuardMessage) => void) {
  let rest = "";
  return (chunk: string): void => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line));
  };
}
