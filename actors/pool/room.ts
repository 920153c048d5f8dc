/**
 * Room on the cores for one more browser of a run. Where the cores are busy already, more at a time took more processor time for
 * the same work (README, figures). Runs that sleep or wait for a network leave the cores idle, and there everyone is let in.
 */
import { availableParallelism, cpus } from "node:os";

export interface RoomOptions {
  cores: number;
  /** Milliseconds that the cores have been idle, all together, since some moment. */
  idleMs: () => number;
  now: () => number;
}

/** As many have room whatever the cores do: one for each, and one whose page is just waited for. */
const spareBrowsers = 1;
/** How long the cores are looked at, since the last who was let in, and the share of it that they are idle when there is room. */
const windowMs = 250;
const idleShare = 0.3;
/** The next is let in after so long in any case: what keeps the cores busy may be no browser of ours. */
const patienceMs = 10_000;

const machine: RoomOptions = {
  cores: availableParallelism(),
  idleMs: () => cpus().reduce((sum, { times }) => sum + times.idle, 0),
  now: () => performance.now(),
};

/**
 * Answers whether one more is let in beside the `working` that were. After a no, `again` is called within a quarter of a second.
 */
export function createRoom(again: () => void, options = machine): (working: number) => boolean {
  const { cores, idleMs, now } = options;
  let letInAt = now();
  let look = { at: now(), idle: idleMs() };
  let looksAgain = false;

  const lookAnew = () => {
    look = { at: now(), idle: idleMs() };
  };
  const isIdle = () => {
    const ms = now() - look.at;
    if (ms < windowMs) return false;
    const share = (idleMs() - look.idle) / (ms * cores);
    lookAnew();
    // An old look tells of other times.
    return ms < 4 * windowMs && share >= idleShare;
  };
  return (working) => {
    if (working < cores + spareBrowsers || isIdle() || now() - letInAt >= patienceMs) {
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
