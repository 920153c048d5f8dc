/** The page of a profile for one piece of work, also of one that does not run. */
import { limits } from "../../protocol/limits.ts";
import type { ProfilePageApi } from "../../protocol/messages/profile.ts";
import { connectProfile } from "../kernel/profile-port.ts";
import type { OperationsContext } from "./context.ts";

/** Uses the profile's running browser, or launches one without a window and stops it afterwards. */
export async function whileOpen<T>(
  { pool }: Pick<OperationsContext, "pool">,
  named: string,
  work: (page: ProfilePageApi, wasOpen: boolean) => Promise<T>,
): Promise<T> {
  const profileId = named.toLowerCase(); // The pool uses ids in lower case.
  const withPage = async (wasOpen: boolean) => {
    const { page, disconnect } = await connectProfile(pool, profileId);
    return work(page, wasOpen).finally(disconnect);
  };
  const live = (await pool.live({})).find((profile) => profile.profileId === profileId);
  if (live?.status === "running") return withPage(true);
  // The idle time closes the browser if this thread ends before it stops it.
  const options = { diagnostic: false, headless: true, idleTimeoutSecs: limits.runBrowserIdleSecs };
  await pool.launch({ profileId, options, wait: false, warmRunner: null });
  try {
    return await withPage(false);
  } finally {
    await pool.stop({ profileId });
  }
}
