/** The page that a launch opens before its reply. */
import type { Actors } from "../actors.ts";

/** A page that does not load leaves no browser behind. */
export async function openFirst(
  actors: Pick<Actors, "page" | "pool">,
  profileId: string,
  url: string,
): Promise<void> {
  try {
    await (await actors.page(profileId)).navigate({ url });
  } catch (error) {
    await actors.pool.stop({ profileId });
    throw error;
  }
}
