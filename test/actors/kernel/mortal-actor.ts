/** An actor for tests of the supervisor: it answers who it is, asks a peer, and dies when told to. */
import { logRejections } from "../../../actors/kernel/background.ts";
import { hostActor } from "../../../actors/kernel/host.ts";
import type { Checks } from "../../../protocol/messages/checks.ts";

export interface MortalApi {
  /** How often the config has been asked for, by its count. */
  life(input: Record<string, never>): Promise<{ life: number }>;
  /** What the peer called `library` answers. */
  askPeer(input: Record<string, never>): Promise<{ life: number }>;
  /** How often the peer called `library` was restarted. */
  peerRestarts(input: Record<string, never>): Promise<number>;
  /** Asks the peer called `library` what is never answered. */
  waitForPeer(input: Record<string, never>): Promise<null>;
  /** Never answers: the thread ends. */
  die(input: Record<string, never>): Promise<null>;
  /** Starts what fails and is never awaited. */
  float(input: Record<string, never>): Promise<null>;
  /** Never answers. */
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
      if (config.refuse) throw new Error("it will not start");
      if (config.gate !== undefined) Atomics.wait(config.gate, 0, 1); // While it is closed.
      // Long enough for what was sent at once to arrive.
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
