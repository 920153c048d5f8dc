/** Works on a profile's page whether or not the profile runs. */
import { randomUUID } from "node:crypto";
import { limits } from "../../protocol/limits.ts";
import type { ProfilePageApi } from "../../protocol/messages/profile.ts";
import type { Timer } from "../kernel/clock.ts";
import { connectProfile } from "../kernel/profile-port.ts";
import type { OperationsContext } from "./context.ts";

/** Work through the DevTools address is no call of the profile's; half the shortest idle timeout. */
const touchMs = 500;

/**
 * Uses the profile's running browser, or launches one without a window and stops it afterwards; other launches wait for that, and so must
 * not come from `work`. It is not idle meanwhile.
 */
export async function whileOpen<T>(
  { pool, clock }: Pick<OperationsContext, "pool" | "clock">,
  named: string,
  work: (page: ProfilePageApi, wasOpen: boolean) => Promise<T>,
): Promise<T> {
  const profileId = named.toLowerCase(); // The pool uses ids in lower case.
  const withPage = async (wasOpen: boolean) => {
    const { page, disconnect } = await connectProfile(pool, profileId);
    let timer: Timer;
    const touch = () => {
      pool.touch({ profileIds: [profileId] }).catch(() => {}); // The pool ends only with the service.
      timer = clock.timer(touchMs, touch);
    };
    touch();
    return work(page, wasOpen).finally(() => {
      timer.cancel();
      disconnect();
    });
  };
  // The idle timeout closes the browser if this thread ends first.
  const options = { diagnostic: false, headless: true, idleTimeoutSecs: limits.runBrowserIdleSecs };
  const ticket = randomUUID();
  const how = { wait: false, join: true, moment: true, ticket, warmRunner: null };
  const { joined = false } = await pool.launch({ profileId, options, ...how });
  if (joined) return withPage(true);
  try {
    return await withPage(false);
  } finally {
    await pool.stop({ profileId, ticket });
  }
}
