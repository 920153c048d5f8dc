/** The verb back. */
import { limits } from "../limits.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface BackBody extends TabOption {}

export const verb = {
  method: "POST",
  access: "write",
  place: 12,
  summary: "Go back to the page before in the tab's history",
  description: "Waits for the load event, as navigate does. Also steps that a page made within itself.",
  conflict: "there is nowhere to go back to, the load failed (net::ERR_…) or did not end within 60 s",
  leaves: true,
  timeoutMs: limits.navigateTimeoutMs + limits.pageAnswerMs,
} as const satisfies Verb<BackBody>;
