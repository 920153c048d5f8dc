/** The verb wait-for. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count, Text } from "../scalars.ts";
import type { PageReply, TabOption, Verb } from "../verb.ts";

export interface WaitForBody extends TabOption {
  /** A CSS selector; `state` says in which state its matches must be. */
  selector?: Text;
  /** Default visible. hidden: none is shown; detached: none exists. */
  state?: "visible" | "hidden" | "attached" | "detached";
  /** This text is shown, in any case and spacing. */
  text?: Text;
  /** This text is not shown. */
  text_gone?: Text;
  /** The tab's address: a glob (`**` is anything, `*` anything but a slash, `{a,b}` one of both) for all of it, or a `/regular expression/` for a part. */
  url?: Text & tags.MaxLength<2000>;
  /** network_idle: no request for 500 ms since the load began. */
  load?: "domcontentloaded" | "load" | "network_idle";
  /** Default 10000; 0 looks once. */
  timeout_ms?: number & tags.Type<"uint32"> & tags.Maximum<120000>;
}

export interface WaitForReply extends PageReply {
  /** With `selector`: the first match, or with state visible the first one that is shown. */
  node_id?: Count;
}

export const verb = {
  method: "POST",
  access: "read",
  place: 82,
  summary: "Wait until all given conditions hold: an element, a text, the address, the load",
  description: "Give one or more of selector (with state), text, text_gone, url and load.",
  conflict: "one of the conditions does not hold in time, which the message names",
  invalid: "the body does not fit, has no condition, or the selector or url cannot be read",
  timeoutMs: limits.waitForElementMaxMs + limits.pageAnswerMs,
  timeoutOf: ({ timeout_ms: ms }) => (ms ?? limits.waitForElementDefaultMs) + limits.pageAnswerMs,
} as const satisfies Verb<WaitForBody>;
