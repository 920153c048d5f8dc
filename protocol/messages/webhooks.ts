/** The library's webhooks. */
import type { EventType } from "../events.ts";
import type { Count, Uuid } from "../scalars.ts";
import type { CreateWebhookReply, Webhook, WebhookAnswer } from "../webhooks.ts";

/** What the sender needs of a webhook. */
export interface WebhookTarget {
  id: Uuid;
  url: string;
  /** Null: all. */
  types: EventType[] | null;
  secret: string;
  /** Events up to this id are delivered. */
  after: Count;
}

export interface WebhookCalls {
  /** Sends events after `after`. Throws `invalid` (the url, or a host that is not allowed), `conflict` (too many). */
  addWebhook(input: { url: string; types: EventType[] | null; after: Count }): Promise<CreateWebhookReply>;
  listWebhooks(input: Record<string, never>): Promise<Webhook[]>;
  /** Throws `not-found`. */
  removeWebhook(input: { webhookId: Uuid }): Promise<null>;
  webhookTargets(input: Record<string, never>): Promise<WebhookTarget[]>;
  /** Ignores a removed webhook. */
  webhookSent(input: { webhookId: Uuid; after: Count; last: WebhookAnswer | null }): Promise<null>;
}
