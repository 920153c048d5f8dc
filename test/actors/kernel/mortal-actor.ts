/** An actor for tests of the supervisor, which reports its life, calls a peer and dies on request. */
import { logRejections } from "../../../actors/kernel/background.ts";
import { hostActor } from "../../../actors/kernel/host.ts";
import type { Checks } from "../../../protocol/messages/checks.ts";

export interface MortalApi {
  life(input: Record<string, never>): Promise<{ life: number }>;
  askPeer(input: Record<string, never>): Promise<{ life: number }>;
  peerRestarts(input: Record<string, never>): Promise<number>;
  waitForPeer(input: Record<string, never>): Promise<null>;
  die(input: Record<string, never>): Promise<null>;
  /** Starts a promise that fails and is never awaited. */
  float(input: Record<string, never>): Promise<null>;
  wait(input: Record<string, never>): Promise<null>;
}

const anything = () => ({});
const checks: Checks<MortalApi> = {
  life: anything,
  askPeer: anything,
  peerRestarts: anything,
  waitForPeer: anything,
  die: anything,
  float: anything,
  wait: anything,
};

const start = (name: string) =>
  hostActor<{ life: number; refuse: boolean; gate?: Int32Array }, MortalApi>(
    name,
    checks,
    async ({ config, log, peer, exit, onPeerRestart }) => {
      let peerRestarts = 0;
      onPeerRestart("library", () => {
        peerRestarts += 1;
      });
      if (name === "profile") logRejections(log);
      if (config.refuse) throw new Error("the test refuses the start");
      if (config.gate !== undefined) Atomics.wait(config.gate, 0, 1); // Waits while the gate is closed.
      // Long enough for pending messages to arrive.
      for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      return {
        life: async () => ({ life: config.life }),
        askPeer: () => peer<MortalApi>("library").life({}),
        peerRestarts: async () => peerRestarts,
        waitForPeer: () => peer<MortalApi>("library").wait({}),
        die: () => {
          exit(7);
          return new Promise(() => {});
        },
        float: async () => {
          void Promise.reject(new Error("it was never awaited"));
          return null;
        },
        wait: () => new Promise(() => {}),
      };
    },
  );
for (const name of ["library", "runs", "profile"]) start(name);
