/** Hands the profile to the user: its verbs are refused until the user hands it back. One at a time. */
import { Fault } from "../../protocol/faults.ts";
import type { HandoffChange, HandoffOutcome } from "../../protocol/handoff.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeferred, type Deferred } from "../kernel/deferred.ts";

export interface HandoffWish {
  message: string;
  timeoutMs: number;
  /** Ends it with the script that asks. */
  signal?: AbortSignal;
}

export interface Handoff {
  /** Returns when the user or the time has ended it. Throws `conflict` (there is one already; the profile ends). */
  ask(wish: HandoffWish): Promise<HandoffOutcome>;
  /** Throws `conflict` when there is none. */
  end(outcome: "handed_back" | "refused"): void;
  /** Whether the user has the profile. */
  isOn(): boolean;
  /** Throws `conflict` while the user has the profile. */
  refuseVerbs(): void;
  close(reason: Fault): void;
}

export interface HandoffParts {
  clock: Clock;
  /** Waits for the verbs before. */
  inTurn(begin: () => Promise<void>): Promise<void>;
  /** Called at the beginning and at the end. */
  changed(change: HandoffChange): void;
}

type Phase = { is: "off" } | { is: "asked" | "on"; done: Deferred<HandoffOutcome | Error> };

export function createHandoff({ clock, inTurn, changed }: HandoffParts): Handoff {
  let phase: Phase = { is: "off" };

  const begin = async (done: Deferred<HandoffOutcome | Error>, message: string) => {
    await inTurn(async () => {
      if (phase.is !== "asked" || phase.done !== done) return; // It has ended while it waited.
      phase = { is: "on", done };
      changed({ message });
    });
  };
  return {
    async ask({ message, timeoutMs, signal }) {
      signal?.throwIfAborted();
      if (phase.is !== "off")
        throw new Fault("conflict", "handed to the user already: wait until it is handed back");
      const done = createDeferred<HandoffOutcome | Error>();
      phase = { is: "asked", done };
      const timer = clock.timer(timeoutMs, () => done.resolve("timed_out"));
      const leave = () => done.resolve(new Fault("conflict", "the script has ended"));
      signal?.addEventListener("abort", leave, { once: true });
      begin(done, message).catch(done.resolve);
      const outcome = await done.promise;
      const wasOn = phase.is === "on";
      phase = { is: "off" };
      timer.cancel();
      signal?.removeEventListener("abort", leave);
      if (wasOn) changed({ outcome: outcome instanceof Error ? "stopped" : outcome });
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    end(outcome) {
      if (phase.is !== "on") throw new Fault("conflict", "the profile is not handed to the user");
      phase.done.resolve(outcome);
    },
    isOn: () => phase.is === "on",
    refuseVerbs() {
      if (phase.is === "on") throw new Fault("conflict", "handed to the user");
    },
    close(reason) {
      if (phase.is !== "off") phase.done.resolve(reason);
    },
  };
}
