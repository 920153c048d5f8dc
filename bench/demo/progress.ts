/** One line per profile: redrawn on a terminal, otherwise printed on change. */
import type { RunProfile } from "../../protocol/records.ts";

const marks: Record<RunProfile["status"], string> = {
  waiting: "·",
  running: "▶",
  completed: "✔",
  failed: "✘",
  skipped: "–",
};

export interface ProgressLine {
  name: string;
  status: RunProfile["status"];
  startedAt: string | null;
  completedAt: string | null;
  step: string;
}

export interface Progress {
  show(lines: readonly ProgressLine[], nowMs: number): void;
}

function textOf({ name, status, step }: ProgressLine): string {
  return `  ${marks[status]} ${name.padEnd(12)} ${status.padEnd(10)} ${step}`;
}

function secondsOf({ startedAt, completedAt }: ProgressLine, nowMs: number): string {
  if (startedAt === null) return "";
  const endMs = completedAt === null ? nowMs : Date.parse(completedAt);
  return ` (${((endMs - Date.parse(startedAt)) / 1000).toFixed(1)} s)`;
}

export function openProgress(stream: NodeJS.WriteStream): Progress {
  let shown: string[] = [];
  return {
    show(lines, nowMs) {
      const texts = lines.map(textOf);
      if (stream.isTTY) {
        const up = shown.length > 0 ? `\x1b[${shown.length}A` : "";
        const width = (stream.columns ?? 80) - 1;
        const rows = lines.map((line, index) => {
          const seconds = secondsOf(line, nowMs);
          return `\x1b[2K${texts[index]?.slice(0, width - seconds.length)}${seconds}\n`;
        });
        stream.write(up + rows.join(""));
      } else {
        for (const [index, text] of texts.entries()) if (text !== shown[index]) stream.write(`${text}\n`);
      }
      shown = texts;
    },
  };
}
