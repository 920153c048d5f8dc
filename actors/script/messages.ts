/** What a runner and its owner say to each other in `control` frames. What a runner says is never trusted in shape. */
import type { SourceMapPayload } from "node:module";
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";

/** The script as the runner loads it: JavaScript, and the map back to the user's own lines. */
export interface StrippedScript {
  code: string;
  map: SourceMapPayload;
}

/** Everything a run is given. */
export interface StartMessage extends StrippedScript {
  kind: "start";
  cdpUrl: string;
  variables: Record<string, string>;
  row: Record<string, string> | null;
  rows: Record<string, string>[];
  profile: { id: string; name: string };
  run: { id: string };
  scratchDir: string;
  /** Playwright's own temporary files. */
  artifactsDir: string;
  uploadsDir: string;
}

export type OwnerMessage = StartMessage | { kind: "abort"; reason: string };

export type RunnerMessage =
  /** The library is imported. */
  | { kind: "ready" }
  /** Attached to the browser; the user's function is about to be called. */
  | { kind: "attached" }
  | { kind: "log"; level: string; text: string }
  /** `row` is the JSON of an object. */
  | { kind: "output"; row: string }
  /** `result` is JSON. */
  | { kind: "completed"; result: string }
  /** `stack` names the user's own lines. */
  | { kind: "failed"; message: string; stack: string };

/** Exit codes by which a runner says that it ended itself, when no frame would get through. */
export const exitCodes = { logFlood: 77, outputFlood: 78, ownerGone: 79 } as const;

/**
 * The message that the text stands for; null when it is none, or of a shape that nobody has agreed on. Throws a RangeError for one
 * that no runner of ours writes: it is too long, or nested.
 */
export function parseRunnerMessage(text: string): RunnerMessage | null {
  if (text.length > limits.scriptMessageCharsMax)
    throw new RangeError(`a message of ${text.length} characters`);
  const excess = jsonExcess(Buffer.from(text));
  if (excess !== null) throw new RangeError(`a message ${excess}`);
  const value = parsedObject(text);
  if (value === null) return null;
  const { kind, level, text: line, row, result, message, stack } = value;
  if (kind === "ready" || kind === "attached") return { kind };
  if (kind === "log" && typeof level === "string" && typeof line === "string")
    return { kind, level, text: line };
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

/** The JSON object that the text holds; null when it holds anything else. */
export function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
