/** The verb network. */
import type { tags } from "typia";
import { limits } from "../limits.ts";
import type { Count, DateTime } from "../scalars.ts";
import type { MetDialogs, TabOption, Verb } from "../verb.ts";

/** `GET /v1/profiles/{id}/network`: without parameters, the newest 100 requests. */
export interface NetworkQuery extends TabOption {
  /** The cursor of an earlier reply: only requests that began or went on since. */
  since?: Count;
  /** Default 100. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
  type?:
    | "document"
    | "stylesheet"
    | "image"
    | "media"
    | "font"
    | "script"
    | "xhr"
    | "fetch"
    | "eventsource"
    | "websocket"
    | "other";
  /** Only requests that failed, or were answered with a status of 400 or more. */
  failed?: boolean;
}

export interface NetworkRequest {
  tab_id: string;
  started_at: DateTime;
  method: string;
  /** At most 2,000 characters, without a password. */
  url: string;
  type: string;
  /** Absent until it is answered. */
  status?: number;
  mime_type?: string;
  /** Of the answer, as they came over the network. Absent until it has ended. */
  bytes?: number;
  /** From its start to its end. */
  duration_ms?: number;
  /** Answered from the browser's cache. */
  from_cache?: true;
  /** The browser's reason why it failed. */
  error?: string;
}

export interface NetworkReply extends MetDialogs {
  /** In the order in which they last changed. */
  requests: NetworkRequest[];
  /** For since. */
  cursor: number;
}

export const verb = {
  method: "GET",
  access: "read",
  place: 96,
  summary: "The page's last 1,000 requests: address, status, sizes, time and error, never their bodies",
  description: "Of all tabs, or of the one of tab_id, from the first operation on the profile's page on.",
  conflict: "the browser does not answer",
  replyText: "The requests.",
  timeoutMs: limits.pageVerbTimeoutMs,
} as const satisfies Verb<NetworkQuery>;
