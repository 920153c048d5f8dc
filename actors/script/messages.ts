/** The `control` messages between a runner and its owner. The owner trusts no message of a runner. */
import type { SourceMapPayload } from "node:module";
import type { HandoffOutcome } from "../../protocol/handoff.ts";
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";

/** The script as JavaScript, with the source map to the user's lines. */
export interface StrippedScript {
  code: string;
  map: SourceMapPayload;
}

export interface StartMessage extends StrippedScript {
  kind: "start";
  cdpUrl: string;
  variables: Record<string, string>;
  row: Record<string, string> | null;
  rows: Record<string, string>[];
  profile: { id: string; name: string };
  run: { id: string };
  scratchDir: string;
  artifactsDir: string;
  uploadsDir: string;
}

export type OwnerMessage =
  | StartMessage
  | { kind: "abort"; reason: string }
  /** The end of a handoff: an outcome, or why there was none. */
  | { kind: "handoff-end"; outcome: HandoffOutcome | null; error: string };

export type RunnerMessage =
  | { kind: "ready" }
  | { kind: "attached" }
  | { kind: "log"; level: string; text: string }
  | { kind: "output"; row: string }
  | { kind: "handoff"; message: string; timeoutMs: number }
  | { kind: "completed"; result: string }
  | { kind: "failed"; message: string; stack: string };

/** Exit codes of a runner that ended itself because it could send no packet. */
export const exitCodes = { logFlood: 77, outputFlood: 78, ownerGone: 79 } as const;

/** A runner's message; null when it is malformed. Throws a RangeError when it is too long or too deeply nested. */
export function parseRunnerMessage(text: string): RunnerMessage | null {
  if (text.length > limits.scriptMessageCharsMax)
    throw new RangeError(`a message of ${text.length} characters`);
  const excess = jsonExcess(Buffer.from(text));
  if (excess !== null) throw new RangeError(`a message ${excess}`);
  const value = parsedObject(text);
  if (value === null) return null;
  const { kind, level, text: line, row, result, message, stack, timeoutMs } = value;
  if (kind === "ready" || kind === "attached") return { kind };
  if (kind === "log" && typeof level === "string" && typeof line === "string")
    return { kind, level, text: line };
  if (kind === "handoff" && typeof message === "string" && typeof timeoutMs === "number")
    return { kind, message, timeoutMs };
  if (kind === "output" && typeof row === "string") return { kind, row };
  if (kind === "completed" && typeof result === "string") return { kind, result };
  if (kind === "failed" && typeof message === "string" && typeof stack === "string")
    return {
      kind,
      message: message.slice(0, limits.scriptErrorCharsMax),
      stack: stack.slice(0, limits.scriptErrorCharsMax),
    };
  return null;
}

/** The JSON object in the text; null for anything else. */
export function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
