/** Starts no browser while memory is short, whoever uses it (protocol/README.md, "The pool"). Kills nothing. */
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { type MemoryLeft, memoryLeft } from "../kernel/free-memory.ts";
import type { Log } from "../kernel/log.ts";

export interface PressureParts {
  log: Log;
  /** Browsers that start: they have not taken their memory yet. */
  starting(): number;
  /** What a browser takes. */
  browserBytes: number;
  /** Called when memory becomes short, and again while it stays so: pages may have been used in between. */
  onShort(): void;
  /** Called when it is no longer. */
  onOver(): void;
  look?: () => MemoryLeft;
  clock?: Clock;
}

export interface Pressure {
  /** `conflict` with `detail.code` `memory-short`: why no browser may start now. Null when one may. */
  refusal(): Fault | null;
  close(): void;
}

/** A look is good for this long. */
const freshMs = 100;
/** Looks without a launch: often while memory is short, so that what waits goes on. */
const watchMs = 5_000;
const shortWatchMs = 1_000;
const sayAgainMs = 10_000;

export function watchPressure(parts: PressureParts): Pressure {
  const { log, starting, browserBytes, onShort, onOver, look = memoryLeft, clock = systemClock } = parts;
  let left = look();
  let lookedAt = clock.now();
  let isShort = false;
  let saidAt = 0;
  let isClosed = false;

  const reason = () => {
    if (clock.now() - lookedAt >= freshMs) {
      left = look();
      lookedAt = clock.now();
    }
    return reasonOf(left, browserBytes * (starting() + 1), starting());
  };
  const watch = () => {
    const why = reason();
    const changed = (why !== null) !== isShort;
    isShort = why !== null;
    watchAgain(isShort ? shortWatchMs : watchMs);
    if (changed && isShort) log.warn("no browser starts for now", { reason: why });
    if (changed && !isShort) {
      log.info("browsers start again: memory is no longer short");
      return onOver();
    }
    if (!isShort || (!changed && clock.now() - saidAt < sayAgainMs)) return;
    saidAt = clock.now();
    onShort();
  };
  const watchAgain = (ms: number) => {
    timer.cancel();
    if (!isClosed) timer = clock.timer(ms, watch);
  };
  let timer = clock.timer(watchMs, watch);
  /** Slots ask in the middle of a grant, so what follows from a change comes after it. */
  const refusal = () => {
    const why = reason();
    if ((why !== null) !== isShort) watchAgain(0);
    return why === null ? null : new Fault("conflict", why, { code: "memory-short" });
  };
  return {
    refusal,
    close() {
      isClosed = true;
      timer.cancel();
    },
  };
}

function reasonOf(
  { availableBytes, stalledPercent }: MemoryLeft,
  bytes: number,
  starting: number,
): string | null {
  const wanted = limits.memoryKeptBytes + bytes;
  const remedy = "close other programs, or stop a profile";
  if (stalledPercent >= limits.memoryStalledPercentMax)
    return `memory is short: programs waited for it ${Math.round(stalledPercent)} % of the last 10 s; ${remedy}`;
  if (availableBytes >= wanted) return null;
  const mib = (bytes: number) => `${Math.max(0, Math.floor(bytes / 2 ** 20))} MiB`;
  const others = starting === 0 ? "" : `, ${starting} that start included`;
  return `memory is short: ${mib(availableBytes)} are free, and a browser needs ${mib(wanted)}${others}; ${remedy}`;
}
