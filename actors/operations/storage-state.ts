/** A profile's storage state: its cookies, and what sites store in it. */
import type { Cookie } from "../../protocol/cookies.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { OperationsContext } from "./context.ts";
import { readableCookies, setCookies } from "./import-cookies.ts";
import { whileOpen } from "./while-open.ts";

type Calls = "readStorageState" | "writeStorageState";

export function storageStates(context: OperationsContext): Pick<OperationsApi, Calls> {
  const { library, pool, tasks } = context;
  /** What a task needs to reach the running profile. */
  const opened = async (profileId: string, cookies: readonly Pick<Cookie, "domain">[]) => {
    const id = profileId.toLowerCase();
    const { spec } = await library.profileSpec({ profileId: id });
    const live = (await pool.live({})).find((one) => one.profileId === id);
    const hosts = new Set(cookies.map(({ domain }) => domain.replace(/^\./, "")));
    const origins = [...hosts].map((host) => `https://${host}`).filter((url) => URL.canParse(url));
    return { cdpUrl: live?.cdpUrl ?? "", userDataDir: spec.userDataDir, origins };
  };
  return {
    readStorageState: ({ profileId }) =>
      whileOpen(context, profileId, async (page) => {
        const { cookies } = await page.readCookies({});
        const { origins } = await tasks.readOrigins(await opened(profileId, cookies));
        return { cookies: cookies.map(playwrightCookie), origins };
      }),
    async writeStorageState({ profileId, state }) {
      const file = readableCookies(state.cookies, true); // Throws before anything changes.
      return whileOpen(context, profileId, async (page) => {
        const { cookies } = await page.readCookies({});
        await tasks.writeOrigins({ ...(await opened(profileId, cookies)), state: state.origins });
        const { taken, refused } = await setCookies(page, file, true);
        return { taken: taken.length, refused, origins: state.origins.length };
      });
    },
  };
}

/** Playwright's form always has `sameSite`, and the partition in two fields. */
function playwrightCookie({ partitionKey, sameSite = "Lax", ...cookie }: Cookie): object {
  const partition =
    partitionKey === undefined
      ? {}
      : {
          partitionKey: partitionKey.topLevelSite,
          _crHasCrossSiteAncestor: partitionKey.hasCrossSiteAncestor,
        };
  return { ...cookie, sameSite, ...partition };
}
