/** Webhooks: their records. The operations thread sends the events. */
import { randomBytes, randomUUID } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { WebhookCalls } from "../../protocol/messages/webhooks.ts";
import { isLoopbackName } from "../../protocol/webhooks.ts";
import { deleteWebhook, insertWebhook, noteSent, readWebhooks } from "../../storage/tables/webhooks.ts";
import { instant, type LibraryContext } from "./context.ts";
import { settingsNow } from "./settings.ts";

const place = (id: string) => `webhooks/${id}`;

export function webhooksArea({ database, vault, clock }: LibraryContext): WebhookCalls {
  return {
    addWebhook: ({ url, types, after }) =>
      database.write((sql) => {
        checkUrl(url, settingsNow(sql).webhookHosts);
        if (readWebhooks(sql).length >= limits.webhooksMax)
          throw new Fault("conflict", `there are ${limits.webhooksMax} webhooks already: delete one first`);
        const id = randomUUID();
        const secret = `whsec_${randomBytes(32).toString("base64")}`;
        const webhook = {
          webhook_id: id,
          url,
          ...(types === null ? {} : { types }),
          created_at: instant(clock),
        };
        insertWebhook(sql, { webhook, sealed: vault.seal(secret, place(id)), after });
        return { webhook_id: id, secret };
      }),
    listWebhooks: () => database.read((sql) => readWebhooks(sql).map(({ webhook }) => webhook)),
    removeWebhook: ({ webhookId }) =>
      database.write((sql) => {
        if (!deleteWebhook(sql, webhookId.toLowerCase()))
          throw new Fault("not-found", `there is no webhook ${webhookId}`);
        return null;
      }),
    webhookTargets: () =>
      database.read((sql) =>
        readWebhooks(sql).map(({ webhook: { webhook_id: id, url, types = null }, sealed, after }) => ({
          id,
          url,
          types,
          secret: vault.open(sealed, place(id)),
          after,
        })),
      ),
    webhookSent: ({ webhookId, after, last }) =>
      database.write((sql) => {
        noteSent(sql, webhookId, after, last);
        return null;
      }),
  };
}

/** Throws `invalid`. */
function checkUrl(given: string, allowed: readonly string[]): void {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Fault("invalid", `url must be an http or https address, got ${JSON.stringify(given)}`);
  if (url.username !== "" || url.password !== "")
    throw new Fault("invalid", "url must not contain a user name or a password");
  if (isLoopbackName(url.hostname) || allowed.includes(url.hostname)) return;
  throw new Fault(
    "invalid",
    `url must be on this machine, or its host ${url.hostname} be allowed by the user: in the application under API & MCP, or with troupe settings webhookHosts=${[...allowed, url.hostname].join(",")}`,
  );
}
