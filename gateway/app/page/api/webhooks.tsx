/** Webhooks: the addresses that events are sent to. */
import { useState } from "preact/hooks";
import { type EventType, eventTypes } from "../../../../protocol/events.ts";
import { type CreateWebhookReply, isLoopbackName, type Webhook } from "../../../../protocol/webhooks.ts";
import { app, get, post, remove } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { Field } from "../parts/field.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";

export function Webhooks() {
  const webhooks = useLive(["webhooks"], () => get<Webhook[]>("/v1/webhooks")).value ?? [];
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <section class="card" aria-label="Webhooks">
      <h2>Webhooks</h2>
      <p class="soft">
        Events are sent to these addresses as they happen, signed as Standard Webhooks has it.
      </p>
      <Create onCreated={setSecret} />
      {secret === null ? null : (
        <ShownOnce secret={secret} copyLabel="Copy key" onDone={() => setSecret(null)}>
          The key of its signatures
        </ShownOnce>
      )}
      {webhooks.length === 0 ? null : <WebhookTable webhooks={webhooks} />}
    </section>
  );
}

function Create({ onCreated }: { onCreated(secret: string): void }) {
  const [url, setUrl] = useState("");
  const [type, setType] = useState<EventType | "">("");
  const create = async () => {
    if (!(await allowed(url))) return;
    const { secret } = await post<CreateWebhookReply>("/v1/webhooks", {
      url,
      ...(type === "" ? {} : { types: [type] }),
    });
    onCreated(secret);
    setUrl("");
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(create);
      }}
    >
      <Field label="Address">
        <input
          type="url"
          required
          placeholder="http://127.0.0.1:9000/troupe"
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </Field>
      <Field label="Events">
        <select
          value={type}
          onChange={(event) => setType(eventTypes.find((one) => one === event.currentTarget.value) ?? "")}
        >
          <option value="">all</option>
          {eventTypes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Field>
      <button type="submit" class="main">
        Add webhook
      </button>
    </form>
  );
}

/** Asks the user about a host that is not this machine. */
async function allowed(url: string): Promise<boolean> {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  if (host === "" || isLoopbackName(host)) return true;
  const { webhookHosts } = await app.readSettings({});
  if (webhookHosts.includes(host)) return true;
  if (
    !confirm(
      `Allow webhooks to send events to ${host}? Programs with a token may then add more for this host.`,
    )
  )
    return false;
  await app.changeSettings({ settings: { webhookHosts: [...webhookHosts, host] } });
  return true;
}

function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  const drop = ({ webhook_id, url }: Webhook) => {
    if (confirm(`Delete the webhook to ${url}? Events that wait for it are not sent.`))
      void attempt(() => remove(`/v1/webhooks/${webhook_id}`), "The webhook is deleted.");
  };
  return (
    <Table
      label="List of webhooks"
      class="stack"
      heads={["Address", "Events", "Added", "Last answer", "Delete"]}
    >
      {webhooks.map((webhook) => (
        <tr key={webhook.webhook_id}>
          <td class="said">{webhook.url}</td>
          <td data-label="Events">{webhook.types?.join(", ") ?? "all"}</td>
          <td data-label="Added">
            <When at={webhook.created_at} />
          </td>
          <td data-label="Last answer" class={webhook.last?.error === undefined ? "" : "warn"}>
            {webhook.last === undefined ? "none yet" : (webhook.last.error ?? webhook.last.status)}
          </td>
          <td>
            <button type="button" class="danger" onClick={() => drop(webhook)}>
              Delete <span class="soft">{webhook.url}</span>
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}
