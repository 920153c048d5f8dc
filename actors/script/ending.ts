/** Decides when and why a run ends: the first verdict counts, and whoever wants an early end goes through the ladder. */
import { limits } from "../../protocol/limits.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { createDeferred } from "./deferred.ts";
import type { RunnerProcess } from "./spawn.ts";
import { duration, memoryVerdict, type Verdict } from "./verdict.ts";

export interface Ending {
  decided: Promise<Verdict>;
  /** Ends the run at once. */
  decide(verdict: Verdict): void;
  /** The run came to an end of itself; when it was being stopped, the reason for that is what counts. */
  conclude(verdict: Verdict): void;
  /** The ladder: the script is told through its signal, and ended two seconds later. */
  stop(reason: string): void;
  /** The user's function is about to be called: from now on the run's own time counts. */
  begun(): void;
  /** Takes back every timer. */
  close(): void;
}

/** Starts the clocks: the start limit, and the watches over the runner's memory and files. */
export function createEnding(
  runner: Pick<RunnerProcess, "memory" | "send" | "residentBytes" | "overfull">,
  timeoutMs: number,
  clock: Clock,
): Ending {
  const { promise: decided, resolve: decide } = createDeferred<Verdict>();
  const timers = new Set<Timer>();
  let phase: "starting" | "running" | "closed" = "starting";
  let reason: string | null = null;

  const after = (ms: number, fire: () => void) => {
    if (phase !== "closed") timers.add(clock.timer(ms, fire));
  };
  const stop = (why: string) => {
    if (reason !== null) return;
    reason = why;
    if (phase === "running") {
      runner.send({ kind: "abort", reason: why });
      after(limits.scriptAbortGraceMs, () => decide({ error: why }));
    } else decide({ error: why });
  };
  const watchMemory = () =>
    after(limits.scriptMemoryPollMs, () => {
      const bytes = runner.residentBytes();
      if (bytes !== null && bytes > runner.memory.rssBytesMax) decide(memoryVerdict(runner.memory));
      else watchMemory();
    });

  const watchFiles = () =>
    after(limits.scratchPollMs, () => {
      void runner.overfull().then(
        (error) => (error === null ? watchFiles() : decide({ error })),
        (error: unknown) => decide({ error: `the script's files could not be counted: ${error}` }),
      );
    });

  after(limits.scriptStartTimeoutMs, () => {
    if (phase === "starting")
      stop(`the script did not start within ${duration(limits.scriptStartTimeoutMs)}`);
  });
  watchMemory();
  watchFiles();
  return {
    decided,
    decide,
    conclude: (verdict) => decide(reason === null ? verdict : { error: reason }),
    stop,
    begun: () => {
      if (phase !== "starting") return;
      phase = "running";
      after(timeoutMs, () => stop(`the script ran longer than ${duration(timeoutMs)}`));
    },
    close: () => {
      phase = "closed";
      for (const timer of timers) timer.cancel();
    },
  };
}
