/** The pool thread: slots, spare threads, and the profile threads. */
import type { MessagePort } from "node:worker_threads";
import { limits } from "../limits.ts";
import type {
  LaunchedProfile,
  LaunchOptions,
  LiveProfile,
  ProfileSpec,
  WarmRunner,
} from "../profile-spec.ts";
import type { Capacity } from "../records.ts";
import type { Uuid } from "../scalars.ts";
import type { ChangeCalls } from "./changes.ts";
import type { Deadlines } from "./deadlines.ts";

/** `run`: of `POST /v1/scripts/run`. */
export type RunKind = "run" | "schedule" | "batch";

export interface PoolApi extends ChangeCalls {
  /**
   * Returns when the browser is ready. Throws `conflict` (unknown profile, pool full, already running, engine failed to
   * start). With `wait` (runs and schedules) it waits for a slot as `queued`, and returns a browser that runs or starts as
   * `joined`. `warmRunner` starts a script runner meanwhile. Records the use of the profile and the exit of its proxy.
   */
  launch(input: {
    profileId: Uuid;
    options: LaunchWish;
    wait: boolean;
    /** Without `wait`: waits at most so long for a slot, as `queued`, then throws as for a full pool. */
    waitMs?: number;
    /** Who waits: slots go by turns between owners, and within one in the order of asking. */
    owner?: string;
    /** With `wait`: what kind of run asks. Launches by calls go first, then these in their order. */
    kind?: RunKind;
    /** Names this launch for `cancelWait`. Default: the run. */
    ticket?: string;
    /** Without `wait`: a browser that runs or starts is returned as `joined`. */
    join?: boolean;
    /** For one call only: other launches wait until it is stopped, instead of being refused or joining it. */
    moment?: boolean;
    warmRunner: WarmRunner | null;
    /** Opens this one, which the library does not know. */
    given?: { spec: ProfileSpec; idleTimeoutSecs: number };
    /** A run that has ended, or whose script has changed, opens nothing. */
    runId?: Uuid;
  }): Promise<LaunchedProfile>;
  /** Cancels a launch that waits, and one with `wait` also while its browser starts. Without `ticket`: whoever waits for the profile. */
  cancelWait(input: { profileId: Uuid; ticket?: string }): Promise<null>;
  /** For a restarted coordinator: refuses launches that `wait`, stops the browsers they opened, returns when these are gone. */
  endWaitedLaunches(input: Record<string, never>): Promise<null>;
  /**
   * Returns when the process has ended and its data is on disk; at once when nothing runs. With `ticket` only the browser of the launch
   * that has it: somebody may have stopped that one and launched another.
   */
  stop(input: { profileId: Uuid; ticket?: string }): Promise<null>;
  touch(input: { profileIds: Uuid[] }): Promise<null>;
  live(input: Record<string, never>): Promise<LiveProfile[]>;
  capacity(input: Record<string, never>): Promise<Capacity>;
  /** A port to the running profile's thread, and the ports of all running browsers. Throws `conflict` (unknown, not running). */
  connect(input: { profileId: Uuid }): Promise<{ port: MessagePort; debuggingPorts: number[] }>;
  setMax(input: { max: number }): Promise<null>;
  /** Refuses launches from now on, and stops every browser. */
  close(input: Record<string, never>): Promise<null>;
  /** As `close`, but kills the browsers: unwritten data is lost. A `close` in progress ends with it. */
  kill(input: Record<string, never>): Promise<null>;
}

/** A launch or a stop may wait behind others; its own thread ends it earlier. */
const behindOthersMs = 20 * 60_000;

export const poolDeadlines = {
  launch: behindOthersMs,
  cancelWait: limits.serviceStopMs,
  endWaitedLaunches: limits.serviceStopMs,
  stop: behindOthersMs,
  close: limits.serviceStopMs,
  changes: Number.POSITIVE_INFINITY,
} satisfies Deadlines<PoolApi>;

/** `idleTimeoutSecs`: null for the setting. */
export type LaunchWish = Omit<LaunchOptions, "idleTimeoutSecs"> & { idleTimeoutSecs: number | null };

export interface PoolConfig {
  max: number;
  /** What a browser takes: measured before, or assumed. */
  browserBytes: number;
  /** Where measured weights of browsers are kept for later starts. */
  weightsFile: string;
  /** Threads kept started without a profile. */
  spares: number;
  engine: EngineConfig;
  /** For `capacity-word.ts`; absent: nothing reads it. */
  capacityWord?: SharedArrayBuffer;
}

export interface EngineConfig {
  chromiumPath: string;
  tempDir: string;
  /** For answers of the engine; absent: `tempDir`. */
  cacheDir?: string;
  /** V8's code cache of the script libraries; absent: the one that the build made. */
  libraryCacheDir?: string;
  hasDisplay: boolean;
  launchesAtOnce: number;
  /** User data directories prepared for new profiles: `dir` on the profiles' disk, and how many; absent: none. */
  blanks?: { dir: string; count: number };
}
