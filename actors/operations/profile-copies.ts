/** Duplicates, checkpoints and archives of profiles that do not run. */
import { Fault } from "../../protocol/faults.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import { versionNumber } from "../kernel/program-version.ts";
import type { OperationsContext } from "./context.ts";

type Calls =
  | "duplicateProfile"
  | "createCheckpoint"
  | "restoreCheckpoint"
  | "exportProfile"
  | "importProfile";

export function profileCopies(context: OperationsContext): Pick<OperationsApi, Calls> {
  const { library, pool, tasks, host, chromiumPath } = context;
  const liveOf = async (named: string) => {
    const profileId = named.toLowerCase();
    return (await pool.live({})).find((live) => live.profileId === profileId && live.status !== "crashed");
  };
  /** Throws `conflict` while it runs. Returns its openings, so that the library finds one that comes after this answer. */
  const refuseRunning = async (profileId: string, remedy = "stop it first") => {
    const openings = await library.profileOpenings({ profileId });
    if ((await liveOf(profileId)) !== undefined)
      throw new Fault("conflict", `profile ${profileId} is running; ${remedy}`);
    return { openings };
  };
  return {
    async duplicateProfile({ profileId, count, nameTemplate, withState, sameDevice }) {
      const closed = withState ? await refuseRunning(profileId) : {};
      const { os } = await library.profileDetail({ profileId });
      const same = Array.from({ length: count }, () => null);
      const sample = async () => {
        const { keys } = await library.takenDevices({ os });
        return (await tasks.sampleDevices({ os, count, host, taken: keys })).devices;
      };
      const devices = sameDevice ? same : await sample();
      return library.duplicateProfile({ profileId, nameTemplate, devices, withState, ...closed });
    },
    async createCheckpoint({ profileId, name, note, restart }) {
      const live = restart ? await liveOf(profileId) : undefined;
      if (live === undefined) {
        const closed = await refuseRunning(profileId, "stop it first, or give restart true");
        return library.createCheckpoint({ profileId, name, note, ...closed });
      }
      await pool.stop({ profileId });
      try {
        return await library.createCheckpoint({ profileId, name, note });
      } finally {
        const options = { diagnostic: false, headless: live.headless, idleTimeoutSecs: null };
        // Another launch may have come first.
        await pool.launch({ profileId, options, wait: false, join: true, warmRunner: null });
      }
    },
    async restoreCheckpoint(input) {
      return library.restoreCheckpoint({ ...input, ...(await refuseRunning(input.profileId)) });
    },
    async exportProfile(input) {
      return library.exportProfile({ ...input, ...(await refuseRunning(input.profileId)) });
    },
    async importProfile({ file }) {
      return library.importProfile({ file, engine: await versionNumber(chromiumPath) });
    },
  };
}
