/** The verb evaluate. */
import { limits } from "../limits.ts";
import type { Text } from "../scalars.ts";
import type { MetDialogs, TabOption, Verb } from "../verb.ts";

export interface EvaluateBody extends TabOption {
  /** JavaScript. */
  expression: Text;
}

/** Without URL and title, which cost another question to the browser: use `location.href`. */
export interface EvaluateReply extends MetDialogs {
  /** What `JSON.stringify` gives for the value, at most 64 KiB; null for undefined and functions. */
  result: unknown;
}

export const verb = {
  method: "POST",
  access: "write",
  place: 70,
  summary: "Run JavaScript in the page",
  description:
    "As in a console: an expression or statements, with await anywhere. A promise is awaited. The result is what JSON.stringify gives, at most 64 KiB; after 10 s the expression is cut off.",
  conflict: "the expression threw, took more than 10 s, or its result has no JSON or over 64 KiB of it",
  timeoutMs: limits.evaluateTimeoutMs + 500, // Time to end the script.
  overdue: `the expression did not end within ${limits.evaluateTimeoutMs} ms`,
} as const satisfies Verb<EvaluateBody>;
