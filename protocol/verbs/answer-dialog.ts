/** The verb answer-dialog. */
import { limits } from "../limits.ts";
import type { TabOption, Verb } from "../verb.ts";
import type { DialogReply } from "./dialog.ts";

/** `POST /v1/profiles/{id}/dialog` */
export interface AnswerDialogBody extends TabOption {
  accept: boolean;
  /** Typed into a prompt that is accepted. */
  text?: string;
  /** Each one from now on, not only the one that shows or the next one. */
  remember?: boolean;
}

export interface AnswerDialogReply extends DialogReply {}

export const verb = {
  method: "POST",
  path: "dialog",
  access: "write",
  place: 81,
  summary: "Answer the JavaScript dialog that shows, or say how the next one is answered",
  description: "Without it each one is dismissed. A page that asks before it is left is always left.",
  conflict: "the browser does not answer",
  invalid: "the body does not fit, or text is given without accept",
  replyText: "The dialogs.",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<AnswerDialogBody>;
