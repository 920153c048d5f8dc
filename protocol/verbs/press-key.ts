/** The verb press-key. */
import { limits } from "../limits.ts";
import type { Verb } from "../verb.ts";

export interface PressKeyBody {
  key:
    | "Enter"
    | "Tab"
    | "Escape"
    | "ArrowUp"
    | "ArrowDown"
    | "ArrowLeft"
    | "ArrowRight"
    | "Backspace"
    | "Delete"
    | "Space";
}

export const verb = {
  method: "POST",
  access: "write",
  place: 50,
  summary: "Press one named key",
  conflict: "the page does not answer",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<PressKeyBody>;
