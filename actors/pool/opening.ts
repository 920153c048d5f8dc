/** Opens profiles for calls, runs and the application: launches the browser, then records the use and the proxy's exit. */
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { RunsApi } from "../../protocol/messages/runs.ts";
import type { LaunchedProfile, ProfileSpec } from "../../protocol/profile-spec.ts";
import { inBackground } from "../kernel/background.ts";
import type { Log } from "../kernel/log.ts";
import type { Launches } from "./launches.ts";

export interface OpeningParts {
  library: Pick<LibraryApi, "profileSpec" | "runProfileSpec" | "profileUsed" | "exitMeasured">;
  launches: Pick<Launches, "launch" | "stop">;
  log: Log;
  /** Fetches a profile from the fleet. */
  runs: Pick<RunsApi, "bringHome">;
}

/** Opens a profile (protocol/README.md, "Launch"). Throws as `PoolApi.launch`. */
export function createOpening({ library, launches, log, runs }: OpeningParts): PoolApi["launch"] {
  return async ({ profileId, runId, ticket = runId, given, options, warmRunner, ...admission }) => {
    let spec: ProfileSpec | null = null;
    const read = async () => {
      const look = () =>
        runId === undefined ? specOf(library, profileId, true) : library.runProfileSpec({ runId, profileId });
      const found =
        given ??
        (await look().catch(async (error: unknown) => {
          if (!isInFleet(error)) throw error;
          await runs.bringHome({ profileId });
          return look();
        }));
      spec = given === undefined ? found.spec : null;
      const idleTimeoutSecs = options.idleTimeoutSecs ?? found.idleTimeoutSecs;
      return { spec: found.spec, options: { ...options, idleTimeoutSecs }, warmRunner };
    };
    const launched = await launches.launch({ profileId, ...admission, ...(ticket && { ticket }), read });
    if (spec === null) return launched; // Another launch opened it, or the library does not know it.
    // Not awaited: a later list shows the use already; only the write to disk is pending.
    inBackground(log, "recording a launch", Promise.all([noteUse(spec, launched), noteExit(spec, launched)]));
    return launched;
  };

  /** A diagnostic launch does not count as use. Stops a profile that was moved to the trash meanwhile. */
  async function noteUse({ profileId }: ProfileSpec, { diagnostic }: LaunchedProfile): Promise<void> {
    try {
      await (diagnostic ? library.profileSpec({ profileId }) : library.profileUsed({ profileId }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await launches.stop(profileId);
    }
  }

  async function noteExit({ profileId, proxy }: ProfileSpec, { exit }: LaunchedProfile): Promise<void> {
    if (proxy === null || exit === null) return;
    const { host, port } = proxy.upstream;
    await library.exitMeasured({ profileId, host, port, measurement: exit });
  }
}

const isInFleet = (error: unknown) => error instanceof Fault && error.detail?.code === "in-fleet";
const isNotFound = (error: unknown) => error instanceof Fault && error.kind === "not-found";

/** Throws `conflict` for an unknown profile (protocol/README.md, "Launch"). */
export async function specOf(library: Pick<LibraryApi, "profileSpec">, profileId: string, opens = false) {
  return library.profileSpec({ profileId, opens }).catch((error: unknown) => {
    if (isNotFound(error)) throw new Fault("conflict", `profile ${profileId} does not exist`);
    throw error;
  });
}
