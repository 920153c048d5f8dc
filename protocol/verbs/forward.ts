/** The verb forward. */
import { limits } from "../limits.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface ForwardBody extends TabOption {}

export const verb = {
  method: "POST",
  access: "write",
  place: 14,
  summary: "Go forward again in the tab's history",
  description: "Waits for the load event, as navigate does. Also steps that a page made within itself.",
  conflict: "there is nowhere to go forward to, the load failed (net::ERR_…) or did not end within 60 s",
  leaves: true,
  timeoutMs: limits.navigateTimeoutMs + limits.pageAnswerMs,
} as const satisfies Verb<ForwardBody>;
