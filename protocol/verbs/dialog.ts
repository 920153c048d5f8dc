/** The verb dialog: reads it. */
import { limits } from "../limits.ts";
import type { MetDialog, TabOption, Verb } from "../verb.ts";

/** `GET /v1/profiles/{id}/dialog` */
export interface DialogQuery extends TabOption {}

export interface ShownDialog extends MetDialog {
  tab_id: string;
}

export interface DialogAnswer {
  accept: boolean;
  /** Of a prompt that is accepted. */
  text?: string;
  /** Each dialog, not only the next one. */
  remember?: boolean;
}

export interface DialogReply {
  /** Shows now, and stays until it is answered or the next verb begins. Null: none. */
  showing: ShownDialog | null;
  /** The last one that was answered by a verb. */
  last: MetDialog | null;
  /** How the next one is answered; null: dismissed. */
  next: DialogAnswer | null;
}

export const verb = {
  method: "GET",
  access: "read",
  place: 80,
  summary: "The JavaScript dialog that shows, the last one, and how the next one is answered",
  conflict: "the browser does not answer",
  replyText: "The dialogs.",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<DialogQuery>;
