/** Profiles in the application. */
import type { AppProfileCalls } from "../../protocol/messages/app-profiles.ts";
import type { Actors } from "../actors.ts";

/** Profiles in one reply: few enough that parsing them blocks neither side. */
const listPart = 1_000;

export function profileCalls(
  actors: Pick<Actors, "library" | "pool" | "operations" | "page">,
): AppProfileCalls {
  const { library, pool, operations } = actors;
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
    async endHandoff({ profileId, outcome }) {
      return (await actors.page(profileId.toLowerCase())).endHandoff({ outcome });
    },
    async userInput({ profileId, events }) {
      return (await actors.page(profileId.toLowerCase())).userInput({ events });
    },
    editProfiles: (input) => library.editProfiles(input),
    trashProfiles: (input) => operations.trashProfiles(input),
    restoreProfiles: (input) => library.restoreProfiles(input),
    deleteForGood: (input) => library.deleteForGood(input),
    profileDetail: (input) => library.profileDetail(input),
    importCookies: (input) => operations.importCookies(input),
  };
}
