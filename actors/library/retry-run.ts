/** The request of a run that repeats what an earlier one did not complete. */
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { partsToRetry } from "../../storage/tables/run-profiles.ts";
import type { LibraryContext } from "./context.ts";
import { existingRun } from "./runs.ts";
import { openRunVariables } from "./variables.ts";

export function retryRunArea({ database, vault }: LibraryContext): Pick<LibraryApi, "retryRequest"> {
  return {
    retryRequest: ({ runId, only }) =>
      database.read((sql) => {
        const { run, headless, concurrency, staggerMs, placement, variablesSealed } = existingRun(sql, runId);
        if (run.status === "running")
          throw new Fault("conflict", `run ${runId} is in progress; cancel it, or wait until it has ended`);
        if (run.scriptId === null) throw new Fault("conflict", `run ${runId} has no script to run again`);
        const skippedWhole = run.status === "skipped" && only !== "failed" && only !== "interrupted";
        const parts = partsToRetry(sql, run.id, only);
        const profileIds = parts.length === 0 && skippedWhole ? run.profileIds : parts;
        if (profileIds.length === 0)
          throw new Fault(
            "conflict",
            `run ${runId} has no ${only ?? "failed or skipped"} profile to run again`,
          );
        return {
          scriptId: run.scriptId,
          profileIds,
          variables: variablesSealed === null ? {} : openRunVariables(vault, run.id, variablesSealed),
          headless,
          batch: false,
          concurrency,
          staggerMs,
          scheduleId: null,
          placement: placement === "fleet" ? "auto" : "local",
        };
      }),
  };
}
