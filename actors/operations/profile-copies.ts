/** Duplicates, checkpoints and archives of profiles that do not run. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Fault } from "../../protocol/faults.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { OperationsContext } from "./context.ts";

type Calls =
  | "duplicateProfile"
  | "createCheckpoint"
  | "restoreCheckpoint"
  | "exportProfile"
  | "importProfile";

const run = promisify(execFile);

export function profileCopies(context: OperationsContext): Pick<OperationsApi, Calls> {
  const { library, pool, tasks, host, chromiumPath } = context;
  const liveOf = async (named: string) => {
    const profileId = named.toLowerCase();
    return (await pool.live({})).find((live) => live.profileId === profileId && live.status !== "crashed");
  };
  const refuseRunning = async (profileId: string, remedy = "stop it first") => {
    if ((await liveOf(profileId)) !== undefined)
      throw new Fault("conflict", `profile ${profileId} is running; ${remedy}`);
  };
  return {
    async duplicateProfile({ profileId, count, nameTemplate, withState, sameDevice }) {
      if (withState) await refuseRunning(profileId);
      const { os } = await library.profileDetail({ profileId });
      const same = Array.from({ length: count }, () => null);
      const sample = async () => {
        const { keys } = await library.takenDevices({ os });
        return (await tasks.sampleDevices({ os, count, host, taken: keys })).devices;
      };
      const devices = sameDevice ? same : await sample();
      return library.duplicateProfile({ profileId, nameTemplate, devices, withState });
    },
    async createCheckpoint({ profileId, name, note, restart }) {
      const live = restart ? await liveOf(profileId) : undefined;
      if (live === undefined) {
        await refuseRunning(profileId, "stop it first, or give restart true");
        return library.createCheckpoint({ profileId, name, note });
      }
      await pool.stop({ profileId });
      try {
        return await library.createCheckpoint({ profileId, name, note });
      } finally {
        const options = { diagnostic: false, headless: live.headless, idleTimeoutSecs: null };
        await pool.launch({ profileId, options, wait: false, warmRunner: null });
      }
    },
    async restoreCheckpoint(input) {
      await refuseRunning(input.profileId);
      return library.restoreCheckpoint(input);
    },
    async exportProfile(input) {
      await refuseRunning(input.profileId);
      return library.exportProfile(input);
    },
    async importProfile({ file }) {
      const { stdout } = await run(chromiumPath, ["--version"]).catch(() => ({ stdout: "" }));
      const engine = /\d+(\.\d+)+/.exec(stdout)?.[0] ?? null;
      return library.importProfile({ file, engine });
    },
  };
}
