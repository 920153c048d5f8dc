/** The pool thread: slots, spare threads, and the profile threads. */
import type { MessagePort } from "node:worker_threads";
import type {
  LaunchedProfile,
  LaunchOptions,
  LiveProfile,
  ProfileSpec,
  WarmRunner,
} from "../profile-spec.ts";
import type { Capacity } from "../records.ts";
import type { Uuid } from "../scalars.ts";
import type { ChangesApi } from "./changes.ts";

export interface PoolApi extends ChangesApi {
  /**
   * Opens the profile and answers when its browser is ready. Throws `conflict` (pool full, already running, engine failed
   * to start). With `wait`, a full pool is waited for (runs and schedules only), and counts as `queued`; a browser of this profile
   * that runs or is just being opened is answered as it is, `joined`.
   * `warmRunner` starts a script runner beside the browser.
   */
  launch(input: {
    spec: ProfileSpec;
    options: LaunchOptions;
    wait: boolean;
    warmRunner: WarmRunner | null;
  }): Promise<LaunchedProfile>;
  /** Gives up a launch with `wait`: it no longer waits for a slot, or its browser that was starting is ended. */
  cancelWait(input: { profileId: Uuid }): Promise<null>;
  /**
   * Stops the browsers that launches with `wait` have opened, and refuses those that still wait: their coordinator has died, and its
   * successor begins with none. Answers when the browsers are gone.
   */
  endWaitedLaunches(input: Record<string, never>): Promise<null>;
  /** Answers when the browser's process is gone and its data is on disk; at once when nothing runs. */
  stop(input: { profileId: Uuid }): Promise<null>;
  /** Restarts the idle timer of those that run. */
  touch(input: { profileIds: Uuid[] }): Promise<null>;
  live(input: Record<string, never>): Promise<LiveProfile[]>;
  capacity(input: Record<string, never>): Promise<Capacity>;
  /** A port of its own to the running profile's thread. Throws `conflict` (not running). */
  connect(input: { profileId: Uuid }): Promise<{ port: MessagePort }>;
  /** The user's and the plan's limits may have changed. */
  setMax(input: { max: number }): Promise<null>;
  /** Refuses launches from now on, and stops every browser. */
  close(input: Record<string, never>): Promise<null>;
  /** As `close`, but ends the browsers at once: what they have not written is lost. A `close` in progress ends with it. */
  kill(input: Record<string, never>): Promise<null>;
}

/** Parameters that the pool thread is started with. */
export interface PoolConfig {
  max: number;
  /** Threads kept started without a profile. */
  spares: number;
  engine: EngineConfig;
  /** Where `capacity-word.ts` writes what `capacity` would answer, at every change; absent: nobody reads it. */
  capacityWord?: SharedArrayBuffer;
}

/** The browser engine and where its temporary things go. */
export interface EngineConfig {
  chromiumPath: string;
  /** For temporary user data directories. */
  tempDir: string;
  /** For what was asked of the engine once; absent: `tempDir`. */
  cacheDir?: string;
  /** A display that a window can open on. */
  hasDisplay: boolean;
  /** Browsers that may be starting at the same time. */
  launchesAtOnce: number;
  /** User data directories made ahead for profiles that were never opened: where, on the profiles' disk, and how many; absent: none. */
  blanks?: { dir: string; count: number };
}
