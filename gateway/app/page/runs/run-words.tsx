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

/** The time between two ISO dates, such as `2 min 5 s`; empty when one is null. */
export function lasted(from: string | null, to: string | null): string {
  if (from === null || to === null) return "";
  const secs = (Date.parse(to) - Date.parse(from)) / 1000;
  return secs < 60 ? `${secs.toFixed(1)} s` : `${Math.floor(secs / 60)} min ${Math.round(secs % 60)} s`;
}
