/** Runs as text and progress bars. */
import type { Run, RunProfile } from "../../../../protocol/records.ts";

const tones: Record<Run["status"] | RunProfile["status"], string> = {
  waiting: "soft",
  running: "",
  completed: "good",
  partial: "warn",
  failed: "bad",
  skipped: "soft",
};

export function Status({ status }: { status: Run["status"] | RunProfile["status"] }) {
  return <span class={`tag ${tones[status]}`}>{status}</span>;
}

const starters = { app: "you", agent: "MCP agent", schedule: "schedule" };

export function starterOf({ source }: Run): string {
  return source === null ? "API" : starters[source];
}

/** Milliseconds; null for what has not ended. */
export function durationOf({
  startedAt,
  completedAt,
}: Pick<RunProfile, "startedAt" | "completedAt">): number | null {
  return startedAt === null || completedAt === null ? null : Date.parse(completedAt) - Date.parse(startedAt);
}

export function Progress({ run }: { run: Run }) {
  const { profilesDone: done, profilesFailed: failed, profilesTotal: total } = run;
  const words = `${done + failed} of ${total}${failed > 0 ? `, ${failed} failed` : ""}`;
  return (
    <div class="progress">
      <progress max={Math.max(total, 1)} value={done + failed} aria-label={`Profiles done: ${words}`} />
      <span class="soft">{words}</span>
    </div>
  );
}
