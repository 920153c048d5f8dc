/** The one recipe for opening a profile, for calls, runs and the application: spec, browser, then its use and its proxy's exit. */
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { LaunchedProfile, ProfileSpec } from "../../protocol/profile-spec.ts";
import { inBackground } from "../kernel/background.ts";
import type { Log } from "../kernel/log.ts";
import type { Launches } from "./launches.ts";

export interface OpeningParts {
  library: Pick<LibraryApi, "profileSpec" | "runProfileSpec" | "profileUsed" | "exitMeasured">;
  launches: Pick<Launches, "launch" | "stop">;
  log: Log;
}

/** Opens a profile (protocol/README.md, "Launch"). Throws as `PoolApi.launch`. */
export function createOpening({ library, launches, log }: OpeningParts): PoolApi["launch"] {
  return async ({ profileId, runId, options, warmRunner, ...admission }) => {
    let spec: ProfileSpec | null = null;
    const read = async () => {
      const found = await (runId === undefined
        ? specOf(library, profileId)
        : library.runProfileSpec({ runId, profileId }));
      spec = found.spec;
      const idleTimeoutSecs = options.idleTimeoutSecs ?? found.idleTimeoutSecs;
      return { spec, options: { ...options, idleTimeoutSecs }, warmRunner };
    };
    const launched = await launches.launch({ profileId, ...admission, read });
    if (spec === null) return launched; // Another launch opened it.
    // Not awaited: a later list shows the use already; only the write to disk is pending.
    inBackground(log, "recording a launch", Promise.all([noteUse(spec, launched), noteExit(spec, launched)]));
    return launched;
  };

  /** Stops a profile that was moved to the trash meanwhile. A diagnostic launch is no use. */
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

const isNotFound = (error: unknown) => error instanceof Fault && error.kind === "not-found";

/** Throws `conflict` for an unknown profile (protocol/README.md, "Launch"). */
export async function specOf(library: Pick<LibraryApi, "profileSpec">, profileId: string) {
  return library.profileSpec({ profileId }).catch((error: unknown) => {
    if (isNotFound(error)) throw new Fault("conflict", `profile ${profileId} does not exist`);
    throw error;
  });
}
