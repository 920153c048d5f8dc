/** Table of webhooks: their secrets are sealed. */
import type { Webhook, WebhookAnswer } from "../../protocol/webhooks.ts";
import { blobOrNull, integer, json, text, textOrNull } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

export interface StoredWebhook {
  webhook: Webhook;
  sealed: Uint8Array;
  /** Events up to this id are delivered. */
  after: number;
}

export function readWebhooks(sql: Reader): StoredWebhook[] {
  return sql.all("SELECT * FROM webhooks ORDER BY position").map((row) => ({
    webhook: webhookOf(row),
    sealed: blobOrNull(row, "sealed") ?? new Uint8Array(),
    after: integer(row, "after"),
  }));
}

function webhookOf(row: Row): Webhook {
  const [types, last] = [textOrNull(row, "types"), textOrNull(row, "last")];
  return {
    webhook_id: text(row, "id"),
    url: text(row, "url"),
    ...(types === null ? {} : { types: json<NonNullable<Webhook["types"]>>(row, "types") }),
    created_at: text(row, "created_at"),
    ...(last === null ? {} : { last: json<WebhookAnswer>(row, "last") }),
  };
}

export function insertWebhook(sql: Writer, { webhook, sealed, after }: StoredWebhook): void {
  const { webhook_id, url, types, created_at } = webhook;
  sql.run("INSERT INTO webhooks (id, url, types, sealed, created_at, after) VALUES (?, ?, ?, ?, ?, ?)", [
    webhook_id,
    url,
    types === undefined ? null : JSON.stringify(types),
    sealed,
    created_at,
    after,
  ]);
}

export function deleteWebhook(sql: Writer, id: string): boolean {
  return sql.run("DELETE FROM webhooks WHERE id = ?", [id]) > 0;
}

/** `last` null: as it was. */
export function noteSent(sql: Writer, id: string, after: number, last: WebhookAnswer | null): void {
  sql.run("UPDATE webhooks SET after = ?, last = coalesce(?, last) WHERE id = ?", [
    after,
    last === null ? null : JSON.stringify(last),
    id,
  ]);
}
