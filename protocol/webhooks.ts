/** Webhooks: where the service sends its events (protocol/README.md, "Webhooks"). */
import type { tags } from "typia";
import type { EventType } from "./events.ts";
import type { Count, DateTime, Text, Uuid } from "./scalars.ts";

export interface CreateWebhookBody {
  /** http or https. A host other than this machine must be allowed in the application first. */
  url: Text & tags.MaxLength<2000>;
  /** Default: all. */
  types?: EventType[] & tags.MinItems<1> & tags.MaxItems<100>;
}

export interface CreateWebhookReply {
  webhook_id: Uuid;
  /** `whsec_…`, the key of the signatures. It is shown only here. */
  secret: string;
}

/** How the last attempt ended. */
export interface WebhookAnswer {
  at: DateTime;
  /** The receiver's HTTP status; absent when it did not answer. */
  status?: Count;
  /** Absent when the event was accepted. */
  error?: string;
}

export interface Webhook {
  webhook_id: Uuid;
  url: string;
  /** Absent: all. */
  types?: EventType[];
  created_at: DateTime;
  last?: WebhookAnswer;
}

export interface WebhookShapes {
  CreateWebhookBody: CreateWebhookBody;
}

/** This machine by its loopback name and addresses, as `URL.hostname` has them. Not `x.localhost`: a system may ask a name server for it. */
export function isLoopbackName(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname);
}
