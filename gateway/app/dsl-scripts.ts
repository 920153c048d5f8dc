/** DSL scripts in the application: the document is stored with the code that it compiles to. */
import { Fault } from "../../protocol/faults.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import type { Actors } from "../actors.ts";

export function dslCalls({
  tasks,
  library,
}: Pick<Actors, "tasks" | "library">): Pick<AppApi, "saveDslScript" | "readDslScript"> {
  return {
    async saveDslScript({ name, description, dsl, target, scriptId }) {
      const { code, nodeCount, warnings, converted, ...compiled } = await tasks.compileDsl({ dsl, target });
      const { violations } = await tasks.checkContract({ source: code });
      const [first] = violations;
      if (first !== undefined)
        throw new Fault(
          "internal",
          `the compiled code violates the script contract: line ${first.line} [${first.rule}]`,
        );
      const given = name ?? compiled.name?.trim();
      if (given === undefined || given === "")
        throw new Fault("invalid", "name is required, because the document has no name");
      const saved = await library.saveDslScript({
        name: given,
        description,
        document: JSON.stringify(converted ?? dsl),
        source: code,
        library: target,
        scriptId,
      });
      return { ...saved, nodeCount, warnings };
    },
    async readDslScript({ scriptId }) {
      const { script, library: target, document } = await library.readDslScript({ scriptId });
      return { script, target, dsl: JSON.parse(document) };
    },
  };
}
