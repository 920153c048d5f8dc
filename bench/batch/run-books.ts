/** Checks an ended run's counts: each profile must be counted exactly once, whatever was killed. */
import type { Run, RunProfile } from "../../protocol/records.ts";

/** Contradictions between a run's counts, parts and status. `ids` are the requested profiles. */
export function wrongBooks(run: Run, parts: readonly RunProfile[], ids: readonly string[]): string[] {
  const count = (status: RunProfile["status"]) => parts.filter((part) => part.status === status).length;
  const [completed, failed, skipped] = [count("completed"), count("failed"), count("skipped")];
  const wrong: string[] = [];
  const hold = (holds: boolean, finding: string) => void (holds || wrong.push(finding));
  hold(
    parts.map(({ profileId }) => profileId).join() === ids.join(),
    "the parts are not the profiles, each once",
  );
  hold(
    completed + failed + skipped === ids.length,
    "a part neither completed nor failed, nor was it skipped",
  );
  hold(run.profilesTotal === ids.length, `profilesTotal is ${run.profilesTotal}, not ${ids.length}`);
  hold(run.profilesDone === completed, `profilesDone is ${run.profilesDone}, not ${completed}`);
  hold(run.profilesFailed === failed, `profilesFailed is ${run.profilesFailed}, not ${failed}`);
  hold(run.completedAt !== null, "the run has no end time");
  const right = rightStatuses(completed, failed, ids.length);
  hold(right.includes(run.status), `the run is ${run.status}, not ${right.join(" or ")}`);
  return wrong;
}

function rightStatuses(completed: number, failed: number, total: number): Run["status"][] {
  if (completed === total) return ["completed"];
  if (completed > 0) return ["partial"];
  // If no profile was tried, the run's error decides.
  return failed > 0 ? ["failed"] : ["failed", "skipped"];
}
