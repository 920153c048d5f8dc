/** Moves profiles to the trash, deletes one, and stops those that run. */
import { Fault } from "../../protocol/faults.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { OperationsContext } from "./context.ts";

export async function trashProfiles(
  { library, pool }: OperationsContext,
  input: Parameters<OperationsApi["trashProfiles"]>[0],
): Promise<null> {
  await library.trashProfiles(input); // First, so that no call can launch them any more.
  const wanted = new Set(input.profileIds.map((id) => id.toLowerCase()));
  const { queued } = await pool.capacity({});
  if (queued > 0) await Promise.all([...wanted].map((profileId) => pool.cancelWait({ profileId })));
  const live = (await pool.live({})).filter(({ profileId }) => wanted.has(profileId));
  await Promise.all(live.map(({ profileId }) => pool.stop({ profileId })));
  return null;
}

export async function deleteProfile(
  context: OperationsContext,
  { profileId, permanent }: Parameters<OperationsApi["deleteProfile"]>[0],
): Promise<null> {
  const profileIds = [profileId];
  try {
    await trashProfiles(context, { profileIds, unlessUsed: true });
  } catch (error) {
    if (!permanent || !isMissing(error)) throw error;
  }
  if (!permanent) return null;
  try {
    await context.library.deleteForGood({ profileIds });
  } catch (error) {
    if (isMissing(error)) throw new Fault("not-found", `profile ${profileId} does not exist`);
    throw error;
  }
  return null;
}

const isMissing = (error: unknown) => error instanceof Fault && error.kind === "not-found";

/** Stops browsers whose profiles are in the trash: the thread may have ended before it stopped them. */
export async function stopTrashed({
  library,
  pool,
}: Pick<OperationsContext, "library" | "pool">): Promise<void> {
  const stopIfTrashed = async (profileId: string) => {
    try {
      await library.profileProxy({ profileId });
    } catch (error) {
      if (!isMissing(error)) throw error;
      await pool.stop({ profileId });
    }
  };
  await Promise.all((await pool.live({})).map(({ profileId }) => stopIfTrashed(profileId)));
}
