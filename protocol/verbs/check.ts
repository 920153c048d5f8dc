/** The verb check. */
import { limits } from "../limits.ts";
import type { Count } from "../scalars.ts";
import type { TabOption, Verb } from "../verb.ts";

export interface CheckBody extends TabOption {
  /** A checkbox, switch or radio button, or its label. */
  node_id: Count;
  /** The wanted state. */
  checked: boolean;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 44,
  summary: "Check or uncheck a checkbox, switch or radio button",
  description: "Clicks it unless it has the state already.",
  conflict: "the element is gone, hidden, covered or no such control, or the page does not take the state",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<CheckBody>;
