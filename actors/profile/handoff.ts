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
  /** Names the caller that asks, for `leave`. */
  ticket?: string;
}

export interface Handoff {
  /** Returns when the user or the time has ended it. Throws `conflict` (there is one already; the profile ends). */
  ask(wish: HandoffWish): Promise<HandoffOutcome>;
  /** Throws `conflict` when there is none. */
  end(outcome: "handed_back" | "refused"): void;
  /** Ends the one of a caller that has disconnected. */
  leave(ticket: string): void;
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

interface Asked {
  is: "asked" | "on";
  done: Deferred<HandoffOutcome | Error>;
  ticket: string | undefined;
}

export function createHandoff({ clock, inTurn, changed }: HandoffParts): Handoff {
  let phase: { is: "off" } | Asked = { is: "off" };

  const begin = async (asked: Asked, message: string) => {
    await inTurn(async () => {
      if (phase !== asked) return; // It has ended while it waited.
      asked.is = "on";
      changed({ message });
    });
  };
  /** It is over at once, so that of two answers only the first counts. */
  const settle = (asked: Asked, outcome: HandoffOutcome | Error) => {
    if (phase !== asked) return;
    phase = { is: "off" };
    if (asked.is === "on") changed({ outcome: outcome instanceof Error ? "stopped" : outcome });
    asked.done.resolve(outcome);
  };
  return {
    async ask({ message, timeoutMs, signal, ticket }) {
      signal?.throwIfAborted();
      if (phase.is !== "off")
        throw new Fault("conflict", "handed to the user already: wait until it is handed back");
      const asked: Asked = { is: "asked", done: createDeferred(), ticket };
      phase = asked;
      const timer = clock.timer(timeoutMs, () => settle(asked, "timed_out"));
      const leave = () => settle(asked, new Fault("conflict", "the script has ended"));
      signal?.addEventListener("abort", leave, { once: true });
      begin(asked, message).catch((error: Error) => settle(asked, error));
      const outcome = await asked.done.promise;
      timer.cancel();
      signal?.removeEventListener("abort", leave);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    end(outcome) {
      if (phase.is !== "on") throw new Fault("conflict", "the profile is not handed to the user");
      settle(phase, outcome);
    },
    leave(ticket) {
      if (phase.is !== "off" && phase.ticket === ticket)
        settle(phase, new Fault("conflict", "the caller has disconnected"));
    },
    isOn: () => phase.is === "on",
    refuseVerbs() {
      if (phase.is === "on") throw new Fault("conflict", "handed to the user");
    },
    close(reason) {
      if (phase.is !== "off") settle(phase, reason);
    },
  };
}
