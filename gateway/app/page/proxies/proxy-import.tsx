/** New pools: static ones from pasted lines or a file, rotating ones from one gateway. */
import { useState } from "preact/hooks";
import type {
  BadProxyLine,
  CreateProxyPoolReply,
  ProxyPool,
  ProxyType,
} from "../../../../protocol/proxies.ts";
import { app, post } from "../api.ts";
import { counted } from "../parts/counted.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";

const types: { type: ProxyType; label: string }[] = [
  { type: "http", label: "HTTP" },
  { type: "socks5", label: "SOCKS5" },
  { type: "residential", label: "Residential (HTTP, billed by traffic)" },
];

interface Named {
  name: string;
  type: ProxyType;
}

function NameAndType({ draft, change }: { draft: Named; change(part: Partial<Named>): void }) {
  const typeOf = (value: string) => types.find(({ type }) => type === value)?.type ?? "http";
  return (
    <>
      <Field label="Name">
        <input
          required
          maxLength={200}
          value={draft.name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      <Field label="Type" hint="For lines without a scheme such as socks5://.">
        <select value={draft.type} onChange={(event) => change({ type: typeOf(event.currentTarget.value) })}>
          {types.map(({ type, label }) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}

export function ImportDialog({ onClose }: { onClose(): void }) {
  const [draft, setDraft] = useState<Named>({ name: "", type: "http" });
  const [text, setText] = useState("");
  const [reply, setReply] = useState<CreateProxyPoolReply | null>(null);
  const create = async () => {
    setReply(await post("/v1/proxy-pools", { ...draft, lines: text.replace(/\r?\n$/, "").split(/\r?\n/) }));
    setText("");
  };
  if (reply !== null) return <Imported reply={reply} onClose={onClose} />;
  return (
    <FormDialog
      title="Import proxies"
      submit="Import"
      ready={text.trim() !== ""}
      act={create}
      onClose={onClose}
    >
      <NameAndType draft={draft} change={(part) => setDraft({ ...draft, ...part })} />
      <Field
        label="Proxies"
        hint="One per line: host:port, host:port:user:password, user:password@host:port, or a URL. Lines that start with # are ignored."
      >
        <textarea
          rows={8}
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </Field>
      <Field label="Or from a file">
        <input
          type="file"
          accept=".txt,.csv,text/plain"
          onChange={(event) => void event.currentTarget.files?.[0]?.text().then(setText)}
        />
      </Field>
    </FormDialog>
  );
}

function Imported({ reply: { pool, badLines }, onClose }: { reply: CreateProxyPoolReply; onClose(): void }) {
  return (
    <Dialog title="Import finished" onClose={onClose}>
      <p role="status">
        <strong>{pool.name}</strong> has {counted(pool.entries, "proxy", "proxies")}.
      </p>
      {badLines.length === 0 ? null : <BadLines badLines={badLines} />}
      <div class="row ends">
        <button type="button" onClick={onClose}>
          Done
        </button>
        <a class="button" href={`#/proxies/${pool.id}`} onClick={onClose}>
          Open the pool
        </a>
      </div>
    </Dialog>
  );
}

const badShownMax = 100;

function BadLines({ badLines }: { badLines: BadProxyLine[] }) {
  const more = badLines.length - badShownMax;
  return (
    <>
      <p class="warn">{`${counted(badLines.length, "line was", "lines were")} rejected:`}</p>
      <ul>
        {badLines.slice(0, badShownMax).map(({ line, error }) => (
          <li key={line}>{`line ${line}: ${error}`}</li>
        ))}
      </ul>
      {more > 0 ? <p class="soft">{`and ${more} more`}</p> : null}
    </>
  );
}

export function RotatingDialog({ onClose }: { onClose(): void }) {
  const [draft, setDraft] = useState<Named>({ name: "", type: "http" });
  const [line, setLine] = useState("");
  const create = async (): Promise<ProxyPool> => {
    const pool = await app.createRotatingPool({ ...draft, line });
    onClose();
    return pool;
  };
  return (
    <FormDialog title="New rotating pool" submit="Create pool" act={create} onClose={onClose}>
      <p class="soft">One gateway of a provider that gives each session its own exit IP.</p>
      <NameAndType draft={draft} change={(part) => setDraft({ ...draft, ...part })} />
      <Field
        label="Gateway"
        hint="One line, with {session} in the user or password; each profile gets its own session: gateway.example:7000:customer-{session}:secret"
      >
        <input
          required
          spellcheck={false}
          autocomplete="off"
          maxLength={2048}
          value={line}
          onInput={(event) => setLine(event.currentTarget.value)}
        />
      </Field>
    </FormDialog>
  );
}
