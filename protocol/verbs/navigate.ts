/** The verb navigate. */
import { limits } from "../limits.ts";
import type { Text } from "../scalars.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface NavigateBody extends TabOption {
  /** http, https, data: or about:blank. */
  url: Text;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 10,
  summary: "Load a URL in the profile's tab and wait for the load event",
  conflict: "the load failed (net::ERR_…) or did not end within 60 s",
  leaves: true,
  timeoutMs: limits.navigateTimeoutMs + limits.pageAnswerMs,
} as const satisfies Verb<NavigateBody>;
