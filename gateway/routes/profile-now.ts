/** The record of one profile with its running state, as JSON bytes. */
import type { LiveProfile } from "../../protocol/profile-spec.ts";
import type { Actors } from "../actors.ts";

/** Throws `not-found`. */
export async function profileNow(
  { library, pool }: Pick<Actors, "library" | "pool">,
  profileId: string,
): Promise<{ json: Uint8Array; live: LiveProfile[] }> {
  const live = await pool.live({});
  const { json } = await library.profileRecord({ live, profileId });
  return { json, live };
}
