/** API & MCP: the API's switch and address, the tokens, and example code. */
import { useState } from "preact/hooks";
import type { Token } from "../../../../protocol/records.ts";
import type { Access } from "../../../../protocol/scalars.ts";
import { app } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { Copy, Snippet } from "../parts/copy.tsx";
import { Field, When } from "../parts/field.tsx";
import { Table } from "../parts/table.tsx";
import { snippets } from "./snippets.ts";

export function ApiPage() {
  const status = useLive(["settings"], () => app.status({}));
  const tokens = useLive(["tokens"], () => app.listTokens({}));
  const url = status.value?.apiUrl ?? null;
  return (
    <>
      <h1>API &amp; MCP</h1>
      <Switch url={url} known={status.value !== null} />
      <Tokens tokens={tokens.value ?? []} />
      <h2>Examples</h2>
      {url === null ? <p class="soft">Switch the API on to see its address in the examples.</p> : null}
      {snippets(url ?? "http://127.0.0.1:PORT").map((snippet) => (
        <Snippet key={snippet.title} {...snippet} />
      ))}
    </>
  );
}

function Switch({ url, known }: { url: string | null; known: boolean }) {
  const [port, setPort] = useState("");
  const on = () => app.apiOn({ port: port === "" ? null : Number(port) });
  return (
    <section class="card" aria-label="The API">
      <p>
        The API is <strong class={url === null ? "warn" : "good"}>{url === null ? "off" : "on"}</strong>
        {url === null ? ". Nothing outside this page can use Troupe." : " at "}
        {url === null ? null : <code>{`${url}/v1`}</code>}
      </p>
      {url === null ? (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void attempt(on, "The API is on.");
          }}
        >
          <input
            aria-label="Port"
            type="number"
            min={0}
            max={65535}
            placeholder="port (empty: the last one)"
            value={port}
            onInput={(event) => setPort(event.currentTarget.value)}
          />
          <button type="submit" class="main" disabled={!known}>
            Switch the API on
          </button>
        </form>
      ) : (
        <div class="row">
          <Copy text={`${url}/v1`} label="Copy base URL" />
          <button type="button" onClick={() => void attempt(() => app.apiOff({}), "The API is off.")}>
            Switch the API off
          </button>
        </div>
      )}
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
        <div class="card" role="status">
          <p>
            Token <strong>{minted.name}</strong>, shown only once:
          </p>
          <div class="row">
            <code class="grow" data-token>
              {minted.token}
            </code>
            <Copy text={minted.token} label="Copy token" />
            <button type="button" onClick={() => setMinted(null)}>
              Done
            </button>
          </div>
        </div>
      )}
      {tokens.length === 0 ? <p class="soft">No token yet. A program needs one for every call.</p> : null}
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
          <option value="write">read and write</option>
          <option value="read">read only</option>
        </select>
      </Field>
      <button type="submit" class="main">
        Mint token
      </button>
    </form>
  );
}

function TokenTable({ tokens }: { tokens: Token[] }) {
  const revoke = (name: string) => {
    if (confirm(`Revoke "${name}"? Programs that use it lose access at once.`)) {
      void attempt(() => app.revokeToken({ name }), `Token ${name} is revoked.`);
    }
  };
  return (
    <Table label="List of tokens" heads={["Name", "Access", "Minted", "Last used", "Revoke"]}>
      {tokens.map((token) => (
        <tr key={token.name}>
          <td>{token.name}</td>
          <td>{token.access === "read" ? "read only" : "read and write"}</td>
          <td>
            <When at={token.createdAt} />
          </td>
          <td>
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
