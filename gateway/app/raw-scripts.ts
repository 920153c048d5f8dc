/** Raw scripts in the application: review against the approved source, check, save, approval. */
import type { AppApi } from "../../protocol/messages/app.ts";
import type { Actors } from "../actors.ts";
import { checkedLibrary } from "../contract-breach.ts";

type ScriptCalls = "listScripts" | "reviewScript" | "checkScript" | "saveAppScript" | "approveScript";

export function scriptCalls({
  tasks,
  library,
}: Pick<Actors, "tasks" | "library">): Pick<AppApi, ScriptCalls> {
  return {
    listScripts: (input) => library.listScripts(input),
    reviewScript: (input) => library.reviewScript(input),
    async checkScript({ source }) {
      const { violations } = await tasks.checkContract({ source });
      return { violations };
    },
    async saveAppScript(input) {
      const drives = await checkedLibrary(tasks, input.source);
      return library.saveScript({ ...input, library: drives, origin: "app" });
    },
    approveScript: ({ scriptId, sha256 }) => library.approveScript({ scriptId, sha256: sha256 ?? null }),
  };
}
