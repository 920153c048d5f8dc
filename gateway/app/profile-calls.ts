/** Profiles in the application: the list with its changes, the trash, cookies, and what each profile shows to sites. */
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { AppProfileCalls } from "../../protocol/messages/app-profiles.ts";
import type { ProfilePageApi } from "../../protocol/messages/profile.ts";
import type { Actors } from "../actors.ts";
import { readCookieFile } from "./cookie-file.ts";

/** Profiles in one reply: few enough that parsing them blocks neither side. */
const listPart = 1_000;

export function profileCalls(actors: Pick<Actors, "library" | "pool" | "page">): AppProfileCalls {
  const { library, pool } = actors;
  const decoder = new TextDecoder();
  return {
    async profilesSince({ since }) {
      const { json, ...changes } = await library.profilesSince({ since, limit: listPart });
      return { ...changes, profiles: JSON.parse(decoder.decode(json)) };
    },
    liveProfiles: (input) => pool.live(input),
    async traceProfile({ profileId, after, waitMs }) {
      return (await actors.page(profileId.toLowerCase())).cdpTrace({ after, waitMs });
    },
    editProfiles: (input) => library.editProfiles(input),
    async trashProfiles(input) {
      await library.trashProfiles(input); // First, so that no call can launch them any more.
      await stopAll(actors, input.profileIds);
      return null;
    },
    restoreProfiles: (input) => library.restoreProfiles(input),
    deleteForGood: (input) => library.deleteForGood(input),
    async profileDetail({ profileId }) {
      const [{ spec }, proxy] = await Promise.all([
        library.profileSpec({ profileId }),
        library.profileProxy({ profileId }),
      ]);
      const { os, timezone, languages, fingerprint } = spec;
      return { os, timezone, languages, fingerprint, proxy };
    },
    exportCookies: ({ profileId }) => whileOpen(actors, profileId, (page) => page.readCookies({})),
    async importCookies({ profileId, cookies: entries }) {
      const { cookies, refused } = readCookieFile(entries);
      const [first] = refused;
      if (cookies.length === 0)
        throw new Fault(
          "invalid",
          first === undefined
            ? "the file must contain at least one cookie"
            : `cookie 1 of ${entries.length}: ${first.error}`,
        );
      const given = cookies.map(({ cookie }) => cookie);
      return whileOpen(actors, profileId, async (page, wasOpen) => {
        const wrote = await page.writeCookies({ cookies: given });
        const bad = new Set(wrote.refused.map(({ index }) => index));
        const taken = given.filter((_, index) => !bad.has(index));
        const byBrowser = wrote.refused.map(({ index, error }) => ({
          index: cookies[index]?.index ?? index,
          error,
        }));
        return {
          taken: taken.length,
          forgotten: wasOpen ? 0 : taken.filter((cookie) => cookie.expires < 0).length,
          refused: [...refused, ...byBrowser].sort((a, b) => a.index - b.index),
        };
      });
    },
  };
}

async function stopAll({ pool }: Pick<Actors, "pool">, profileIds: string[]): Promise<void> {
  const wanted = new Set(profileIds.map((id) => id.toLowerCase()));
  const { queued } = await pool.capacity({});
  if (queued > 0) await Promise.all([...wanted].map((profileId) => pool.cancelWait({ profileId })));
  const live = (await pool.live({})).filter(({ profileId }) => wanted.has(profileId));
  await Promise.all(live.map(({ profileId }) => pool.stop({ profileId })));
}

/** Uses the profile's running browser, or launches one without a window and stops it afterwards. */
async function whileOpen<T>(
  actors: Pick<Actors, "pool" | "page">,
  named: string,
  work: (page: ProfilePageApi, wasOpen: boolean) => Promise<T>,
): Promise<T> {
  const { pool } = actors;
  const profileId = named.toLowerCase(); // The library and the pool use ids in lower case.
  const live = (await pool.live({})).find((profile) => profile.profileId === profileId);
  if (live?.status === "running") return work(await actors.page(profileId), true);
  const options = { diagnostic: false, headless: true, idleTimeoutSecs: limits.runBrowserIdleSecs };
  await pool.launch({ profileId, options, wait: false, warmRunner: null });
  try {
    return await work(await actors.page(profileId), false);
  } finally {
    await pool.stop({ profileId });
  }
}
