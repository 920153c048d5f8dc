/** API & MCP: the API's switch and address, the tokens, and example code. */
import { useState } from "preact/hooks";
import type { Token } from "../../../../protocol/records.ts";
import type { Access } from "../../../../protocol/scalars.ts";
import { app } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { Copy, Snippet } from "../parts/copy.tsx";
import { Field } from "../parts/field.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { type Column, useSort } from "../parts/sort.ts";
import { Switch } from "../parts/switch.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";
import { snippets } from "./snippets.ts";
import { Webhooks } from "./webhooks.tsx";

export function ApiPage() {
  const status = useLive(["settings"], () => app.status({}));
  const tokens = useLive(["tokens"], () => app.listTokens({}));
  const url = status.value?.apiUrl ?? null;
  return (
    <>
      <h1>API &amp; MCP</h1>
      <ApiSwitch url={url} known={status.value !== null} />
      <Tokens tokens={tokens.value ?? []} />
      <Webhooks />
      <h2>Examples</h2>
      {url === null ? <p class="soft">Switch the API on to see its address in the examples.</p> : null}
      {snippets(url ?? "http://127.0.0.1:PORT").map((snippet) => (
        <Snippet key={snippet.title} {...snippet} />
      ))}
    </>
  );
}

function ApiSwitch({ url, known }: { url: string | null; known: boolean }) {
  const [port, setPort] = useState("");
  const turn = () =>
    url === null
      ? attempt(() => app.apiOn({ port: port === "" ? null : Number(port) }), "The API is on.")
      : attempt(() => app.apiOff({}), "The API is off.");
  return (
    <section class="card" aria-label="The API">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void turn();
        }}
      >
        <strong>The API</strong>
        <Switch label="The API is on" on={url !== null} disabled={!known} onTurn={() => void turn()} />
        {url === null ? (
          <input
            aria-label="Port"
            type="number"
            min={0}
            max={65535}
            placeholder="port (empty: the last one)"
            value={port}
            onInput={(event) => setPort(event.currentTarget.value)}
          />
        ) : (
          <>
            <code>{`${url}/v1`}</code>
            <Copy text={`${url}/v1`} label="Copy base URL" />
          </>
        )}
      </form>
      {url === null ? <p class="soft">Nothing outside this page can use Troupe.</p> : null}
    </section>
  );
}

function Tokens({ tokens }: { tokens: Token[] }) {
  const [minted, setMinted] = useState<{ name: string; token: string } | null>(null);
  return (
    <section class="card" aria-label="Tokens">
      <h2>Tokens</h2>
      <Mint onMinted={setMinted} />
      {minted === null ? null : (
        <ShownOnce secret={minted.token} copyLabel="Copy token" onDone={() => setMinted(null)}>
          Token <strong>{minted.name}</strong>
        </ShownOnce>
      )}
      {tokens.length === 0 ? (
        <p class="soft">No token yet. A program needs one for every call: give it a name and mint it.</p>
      ) : null}
      {tokens.length === 0 ? null : <TokenTable tokens={tokens} />}
    </section>
  );
}

function Mint({ onMinted }: { onMinted(minted: { name: string; token: string }): void }) {
  const [name, setName] = useState("");
  const [access, setAccess] = useState<Access>("write");
  const mint = async () => {
    const { token } = await app.mintToken({ name, access });
    onMinted({ name, token });
    setName("");
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(mint);
      }}
    >
      <Field label="Name">
        <input
          required
          maxLength={100}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <Field label="Access">
        <select
          value={access}
          onChange={(event) => setAccess(event.currentTarget.value === "read" ? "read" : "write")}
        >
          <option value="write">{accessWords.write}</option>
          <option value="read">{accessWords.read}</option>
        </select>
      </Field>
      <button type="submit" class="main">
        Mint token
      </button>
    </form>
  );
}

const accessWords: Record<Access, string> = { read: "read only", write: "read and write" };

const columns: Column<Token>[] = [
  { head: "Name", key: ({ name }) => name },
  { head: "Access", key: ({ access }) => access },
  { head: "Minted", key: ({ createdAt }) => createdAt },
  { head: "Last used", key: ({ lastUsed }) => lastUsed },
  { head: "Revoke" },
];

function TokenTable({ tokens }: { tokens: Token[] }) {
  const revoke = (name: string) => {
    if (confirm(`Revoke "${name}"? Programs that use it lose access at once.`)) {
      void attempt(() => app.revokeToken({ name }), `Token ${name} is revoked.`);
    }
  };
  const { sorted, heads } = useSort(tokens, columns);
  return (
    <Table label="List of tokens" class="stack" heads={heads}>
      {sorted.map((token) => (
        <tr key={token.name}>
          <td>{token.name}</td>
          <td data-label="Access">{accessWords[token.access]}</td>
          <td data-label="Minted">
            <When at={token.createdAt} />
          </td>
          <td data-label="Last used">
            <When at={token.lastUsed} />
          </td>
          <td>
            <button type="button" class="danger" onClick={() => revoke(token.name)}>
              Revoke <span class="soft">{token.name}</span>
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}
