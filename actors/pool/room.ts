/**
 * Room on the cores for one more browser of a run. Where the cores are busy already, more at a time took more processor time for
 * the same work (bench/FINDINGS.md, "A batch"). Runs that sleep or wait for a network leave the cores idle, and there everyone is let in. Whoever
 * ends leaves its place to the next, at once and whatever the cores do: what is held back is only the growth of their number.
 */
import { availableParallelism, cpus } from "node:os";

export interface RoomOptions {
  cores: number;
  /** Milliseconds that the cores have been idle, all together, since some moment. */
  idleMs: () => number;
  now: () => number;
}

/** How long the cores are looked at, since the last who was let in, and how many are idle all that time, taken together, when there is room. */
const windowMs = 500;
const idleCores = 1;
/** When nobody was let in for so long, the next is in any case: what keeps the cores busy may be no browser of ours. */
const patienceMs = 10_000;

const machine: RoomOptions = {
  cores: availableParallelism(),
  idleMs: () => cpus().reduce((sum, { times }) => sum + times.idle, 0),
  now: () => performance.now(),
};

/**
 * Answers whether one more is let in beside the `working` that were. After a no, `again` is called within half a second.
 */
export function createRoom(again: () => void, options = machine): (working: number) => boolean {
  const { cores, idleMs, now } = options;
  /** A core has one browser, whatever else it does. And as many as worked at once, since nobody did: one who ends leaves a place. */
  let places = cores;
  const enough = Math.min(idleCores, cores / 2);
  let letInAt = now();
  let look = { at: now(), idle: idleMs() };
  let looksAgain = false;

  const lookAnew = () => {
    look = { at: now(), idle: idleMs() };
  };
  const isIdle = () => {
    const ms = now() - look.at;
    if (ms < windowMs) return false;
    const idle = (idleMs() - look.idle) / ms;
    lookAnew();
    // An old look tells of other times.
    return ms < 4 * windowMs && idle >= enough;
  };
  return (working) => {
    if (working === 0) places = cores;
    if (working < places || isIdle() || now() - letInAt >= patienceMs) {
      places = Math.max(places, working + 1);
      letInAt = now();
      lookAnew();
      return true;
    }
    if (looksAgain) return false;
    looksAgain = true;
    setTimeout(() => {
      looksAgain = false;
      again();
    }, windowMs).unref();
    return false;
  };
}
