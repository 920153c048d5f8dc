/** New profiles: their number, names, system, tags, proxy pool and datasets. */
import { useState } from "preact/hooks";
import type { Dataset } from "../../../../protocol/datasets.ts";
import type { ProxyPool } from "../../../../protocol/proxies.ts";
import type { CreateProfilesBody, CreateProfilesReply } from "../../../../protocol/requests.ts";
import { get, post } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
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

export function CreateDialog({ onClose }: { onClose(): void }) {
  const [count, setCount] = useState(1);
  const [name, setName] = useState("Profile {n}");
  const [os, setOs] = useState("");
  const [tags, setTags] = useState("");
  const [pool, setPool] = useState("");
  const [identity, setIdentity] = useState("");
  const [content, setContent] = useState("");
  const pools = useLive(["proxies"], () => get<ProxyPool[]>("/v1/proxy-pools"));
  const datasets = useLive(["datasets"], () => get<Dataset[]>("/v1/datasets"));
  const create = async () => {
    const system = systems.find((known) => known === os);
    const words = wordsOf(tags);
    const body: CreateProfilesBody = {
      count,
      name_template: name,
      ...(system === undefined ? {} : { os: system }),
      ...(words.length === 0 ? {} : { tags: words }),
      ...(pool === "" ? {} : { proxy_pool_id: pool }),
      ...(identity === "" ? {} : { identity_dataset_id: identity }),
      ...(content === "" ? {} : { content_dataset_id: content }),
    };
    const reply = await post<CreateProfilesReply>("/v1/profiles", body);
    await attempt(async () => {}, warningsOf(reply));
    onClose();
  };
  const ofMode = (mode: Dataset["mode"]) => (datasets.value ?? []).filter((dataset) => dataset.mode === mode);
  const still = (pools.value ?? []).filter(({ kind }) => kind === "static");
  return (
    <FormDialog title="New profiles" submit="Create" act={create} onClose={onClose}>
      <div class="columns">
        <Field label="How many" hint="1 to 50">
          <input
            type="number"
            min={1}
            max={50}
            required
            value={count}
            onInput={(event) => setCount(event.currentTarget.valueAsNumber || 1)}
          />
        </Field>
        <Field label="Name" hint="{n} becomes 1, 2, …">
          <input
            required
            maxLength={200}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field label="System">
          <select value={os} onChange={(event) => setOs(event.currentTarget.value)}>
            <option value="">same as this machine</option>
            {systems.map((system) => (
              <option key={system} value={system}>
                {system}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Tags" hint="Separated by commas">
          <input value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
        </Field>
        <Select label="Proxy pool" none="none (direct)" value={pool} entries={still} onChange={setPool} />
        <Select
          label="Identity dataset"
          none="none"
          value={identity}
          entries={ofMode("fixed")}
          onChange={setIdentity}
        />
        <Select
          label="Content dataset"
          none="none"
          value={content}
          entries={ofMode("consume")}
          onChange={setContent}
        />
      </div>
    </FormDialog>
  );
}

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
