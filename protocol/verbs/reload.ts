/** The verb reload. */
import { limits } from "../limits.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface ReloadBody extends TabOption {
  /** Asks the server for everything, also for what is in the cache. */
  ignore_cache?: boolean;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 16,
  summary: "Load the page again and wait for the load event",
  description: "A page that a form was sent to is sent it again.",
  conflict: "the load failed (net::ERR_…) or did not end within 60 s",
  leaves: true,
  timeoutMs: limits.navigateTimeoutMs + limits.pageAnswerMs,
} as const satisfies Verb<ReloadBody>;
