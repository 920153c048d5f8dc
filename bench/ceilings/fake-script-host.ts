/** Takes the place of `actors/profile/script-host.ts` in the threads that suite `ceilings` starts: a script that has ended at once. */
import type { ScriptHost } from "../../actors/profile/script-host.ts";
import { nothingDone } from "../../protocol/run-outcomes.ts";

export function createScriptHost(): ScriptHost {
  return {
    warm: async () => {},
    run: async ({ variables }) => {
      const log = Array.from({ length: Number(variables.lines) }, (_, at) => `line ${at} of a script`);
      return { status: "completed", error: null, ...nothingDone(), log };
    },
    logOf: async () => null,
    abort() {},
    close: async () => {},
  };
}
