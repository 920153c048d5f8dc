/** Converts DevTools recordings to documents, and reports each approximated step. */
import { dslVersion } from "../../../protocol/dsl/document.ts";
import { asRecord, numberField, type RecordedStep, refuse } from "./fields.ts";
import { createKeys } from "./keys.ts";
import { type Converted, type ConvertedBlock, convertStep } from "./step.ts";

const timeoutMsMax = 600_000;

export function isRecording(value: unknown): value is { title: string; steps: unknown[] } {
  const recording = asRecord(value);
  if (recording === null || "dslVersion" in recording || typeof recording.title !== "string") return false;
  return (
    Array.isArray(recording.steps) &&
    recording.steps.every((step) => typeof asRecord(step)?.type === "string")
  );
}

/** Converts a recording. Adds one warning to `warnings` for each approximated step. Throws `invalid`. */
export function convertRecording(
  recording: { title: string; steps: unknown[] },
  warnings: string[],
): Record<string, unknown> {
  const keys = createKeys();
  const blocks: object[] = [];
  let target = "main";
  const add = (id: string, { blocks: made, remarks }: Converted) => {
    for (const [index, block] of made.entries())
      blocks.push({ id: index === 0 ? id : `${id}-${index + 1}`, ...block });
    if (remarks.length > 0) warnings.push(`node ${id} [imported] ${remarks.join("; ")}`);
  };
  const last = recording.steps.length - 1;
  for (const [index, given] of recording.steps.entries()) {
    const step = stepOf(given, index);
    const id = `s${index + 1}`;
    const wanted = typeof step.fields.target === "string" ? step.fields.target : "main";
    if (wanted !== target) {
      target = wanted;
      add(`${id}-tab`, {
        blocks: [switchTo(wanted)],
        remarks: [`the tab is found by ${wanted === "main" ? "being the first" : "its address"}`],
      });
    }
    add(id, withTimeout(step, convertStep(step, keys, index === last)));
  }
  const { timeout } = Object.fromEntries(Object.entries(recording));
  return {
    dslVersion,
    name: recording.title.slice(0, 200),
    ...(typeof timeout === "number" ? { settings: { timeoutMs: patient(timeout) } } : {}),
    steps: blocks,
  };
}

function stepOf(value: unknown, index: number): RecordedStep {
  const fields = asRecord(value) ?? {};
  return { type: String(fields.type), fields, pointer: `/steps/${index}` };
}

function switchTo(target: string): ConvertedBlock {
  if (target === "main") return { kind: "switchTab", index: 0 };
  return { kind: "switchTab", url: `^${target.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}` };
}

function withTimeout(step: RecordedStep, converted: Converted): Converted {
  const timeout = numberField(step, "timeout");
  if (timeout === null) return converted;
  if (timeout < 0) refuse(`${step.pointer}/timeout`, `must not be negative, got ${timeout}`);
  const blocks = converted.blocks.map((block) =>
    block.kind === "comment" ? block : { ...block, timeoutMs: patient(timeout) },
  );
  return { ...converted, blocks };
}

function patient(ms: number): number {
  return Math.min(timeoutMsMax, Math.max(0, Math.round(ms)));
}
