/** New profiles: their number, names, system, tags, proxy pool and datasets. */
import { useState } from "preact/hooks";
import type { Dataset } from "../../../../protocol/datasets.ts";
import type { ProxyPool } from "../../../../protocol/proxies.ts";
import type { CreateProfilesBody, CreateProfilesReply } from "../../../../protocol/requests.ts";
import { get, post } from "../api.ts";
import { useLive } from "../live.ts";
import { report } from "../notices.tsx";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { profiles } from "./acts.ts";

const systems = ["windows", "macos", "linux"] as const;

export function wordsOf(text: string): string[] {
  return [...new Set(text.split(",").map((word) => word.trim()))].filter(Boolean);
}

function warningsOf({ created, failed, location_warning, timezone_warning }: CreateProfilesReply): string {
  const [first] = failed;
  const lost = first === undefined ? [] : [`${failed.length} could not be created: ${first.error}.`];
  return [
    `${profiles(created.length)} created.`,
    ...lost,
    ...[location_warning, timezone_warning].filter((warning) => warning !== undefined),
  ].join(" ");
}

const usual = { count: 1, name: "Profile {n}", os: "", tags: "", pool: "", identity: "", content: "" };
type Chosen = typeof usual;

function bodyOf({ count, name, os, tags, pool, identity, content }: Chosen): CreateProfilesBody {
  const system = systems.find((known) => known === os);
  const words = wordsOf(tags);
  return {
    count,
    name_template: name,
    ...(system === undefined ? {} : { os: system }),
    ...(words.length === 0 ? {} : { tags: words }),
    ...(pool === "" ? {} : { proxy_pool_id: pool }),
    ...(identity === "" ? {} : { identity_dataset_id: identity }),
    ...(content === "" ? {} : { content_dataset_id: content }),
  };
}

async function create(draft: Chosen): Promise<void> {
  const reply = await post<CreateProfilesReply>("/v1/profiles", bodyOf(draft));
  report(warningsOf(reply));
}

export function CreateButton({ label }: { label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="main" onClick={() => setOpen(true)}>
        {label}
      </button>
      {open ? <CreateDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function CreateDialog({ onClose }: { onClose(): void }) {
  const [draft, setDraft] = useState(usual);
  const set = (field: Exclude<keyof Chosen, "count">) => (value: string) =>
    setDraft({ ...draft, [field]: value });
  const pools = useLive(["proxies"], () => get<ProxyPool[]>("/v1/proxy-pools"));
  const datasets = useLive(["datasets"], () => get<Dataset[]>("/v1/datasets"));
  const submit = () => create(draft).then(onClose);
  const ofMode = (mode: Dataset["mode"]) => (datasets.value ?? []).filter((dataset) => dataset.mode === mode);
  return (
    <FormDialog title="New profiles" submit="Create" act={submit} onClose={onClose}>
      <div class="columns">
        <Field label="How many" hint="1 to 50">
          <input
            type="number"
            min={1}
            max={50}
            required
            value={draft.count}
            onInput={(event) => setDraft({ ...draft, count: event.currentTarget.valueAsNumber || 1 })}
          />
        </Field>
        <Field label="Name" hint="{n} becomes 1, 2, …">
          <input
            required
            maxLength={200}
            value={draft.name}
            onInput={(event) => set("name")(event.currentTarget.value)}
          />
        </Field>
        <Select
          label="System"
          none="same as this machine"
          value={draft.os}
          entries={systems.map((name) => ({ id: name, name }))}
          onChange={set("os")}
        />
        <Field label="Tags" hint="Separated by commas">
          <input value={draft.tags} onInput={(event) => set("tags")(event.currentTarget.value)} />
        </Field>
        <Select
          label="Proxy pool"
          none="none (direct)"
          value={draft.pool}
          entries={staticOf(pools.value)}
          onChange={set("pool")}
        />
        <Select
          label="Identity dataset"
          none="none"
          value={draft.identity}
          entries={ofMode("fixed")}
          onChange={set("identity")}
        />
        <Select
          label="Content dataset"
          none="none"
          value={draft.content}
          entries={ofMode("consume")}
          onChange={set("content")}
        />
      </div>
    </FormDialog>
  );
}

const staticOf = (pools: ProxyPool[] | null) => (pools ?? []).filter(({ kind }) => kind === "static");

function Select(props: {
  label: string;
  none: string;
  value: string;
  entries: { id: string; name: string }[];
  onChange(id: string): void;
}) {
  return (
    <Field label={props.label}>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        <option value="">{props.none}</option>
        {props.entries.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}
