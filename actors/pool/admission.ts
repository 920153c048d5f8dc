/**
 * Decides whether a run may open one more browser. Busy cores do the same work less efficiently with more browsers (bench/FINDINGS.md, "A
 * batch"); idle cores have room. Only growth is limited: a browser that ends always frees a place for the next.
 */
import { availableParallelism, cpus } from "node:os";

export interface AdmissionOptions {
  cores: number;
  idleMs: () => number;
  now: () => number;
}

/** Measuring period since the last admission, and the idle cores (in total) during it that allow one more browser. */
const windowMs = 500;
const idleCores = 1;
/** Admit one after this time anyway, because other programs may keep the cores busy. */
const patienceMs = 10_000;

const machine: AdmissionOptions = {
  cores: availableParallelism(),
  idleMs: () => cpus().reduce((sum, { times }) => sum + times.idle, 0),
  now: () => performance.now(),
};

/**
 * Returns a function that decides whether one more browser is admitted besides the `working` ones. After a no, `again` is called within
 * half a second.
 */
export function createAdmission(again: () => void, options = machine): (working: number) => boolean {
  const { cores, idleMs, now } = options;
  /** Browsers admitted without measuring. Starts at one per core and grows with each admission, until none is working. */
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
