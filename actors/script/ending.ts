/** Decides when and why a run ends. The first verdict counts. */
import { limits } from "../../protocol/limits.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { createDeferred } from "../kernel/deferred.ts";
import type { RunnerProcess } from "./spawn.ts";
import { duration, memoryVerdict, type Verdict } from "./verdict.ts";

export interface Ending {
  decided: Promise<Verdict>;
  decide(verdict: Verdict): void;
  /** The run ended by itself. If it was being stopped, the reason for the stop counts instead. */
  conclude(verdict: Verdict): void;
  /** Aborts the script's signal; ends the run after `limits.scriptAbortGraceMs`. */
  stop(reason: string): void;
  /** Starts the run's timeout. Called just before the user's function. */
  begun(): void;
  /** Pauses the run's timeout until the returned function is called; all pauses together last at most `limits.handoffMs.all`. */
  pause(): () => void;
  close(): void;
}

/** Starts the start timeout and the checks of the runner's memory and files. */
export function createEnding(
  runner: Pick<RunnerProcess, "memory" | "send" | "residentBytes" | "overfull">,
  timeoutMs: number,
  clock: Clock,
): Ending {
  const { promise: decided, resolve: decide } = createDeferred<Verdict>();
  const timers = new Set<Timer>();
  let phase: "starting" | "running" | "closed" = "starting";
  let reason: string | null = null;
  let deadline: Timer | null = null;
  let due = 0;
  let paused = 0;

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

  const run = (ms: number) => {
    if (phase === "closed") return;
    due = clock.now() + ms;
    deadline = clock.timer(ms, () => stop(`the script ran longer than ${duration(timeoutMs)}`));
    timers.add(deadline);
  };

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
      run(timeoutMs);
    },
    pause: () => {
      const begun = clock.now();
      const left = due - begun;
      deadline?.cancel();
      run(left + limits.handoffMs.all - paused);
      return () => {
        paused += clock.now() - begun;
        deadline?.cancel();
        run(left);
      };
    },
    close: () => {
      phase = "closed";
      for (const timer of timers) timer.cancel();
    },
  };
}
