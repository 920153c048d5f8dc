/** Unpacked extensions that launches may load: list, add, remove. */
import { useState } from "preact/hooks";
import type { AddedExtension } from "../../../../protocol/messages/extensions.ts";
import { app } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { Copy } from "../parts/copy.tsx";
import { Field } from "../parts/field.tsx";
import { Table } from "../parts/table.tsx";

export function Extensions() {
  const extensions = useLive(["settings"], () => app.listExtensions({})).value ?? [];
  return (
    <section class="card" aria-label="Extensions">
      <h2>Extensions</h2>
      <p class="soft">
        A launch over the API loads the unpacked extensions that it names. Programs cannot add any. An
        extension sees what it asks for in every page, so add only those that you trust.
      </p>
      <Add />
      {extensions.length === 0 ? null : <ExtensionTable extensions={extensions} />}
    </section>
  );
}

function Add() {
  const [dir, setDir] = useState("");
  const add = async () => {
    await app.addExtension({ dir });
    setDir("");
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(add, "The extension is added.");
      }}
    >
      <Field label="Directory" hint="On this machine, with a manifest.json. It stays where it is.">
        <input
          required
          placeholder="/path/to/my-extension"
          value={dir}
          onInput={(event) => setDir(event.currentTarget.value.trim())}
        />
      </Field>
      <button type="submit" class="main">
        Add extension
      </button>
    </form>
  );
}

function ExtensionTable({ extensions }: { extensions: AddedExtension[] }) {
  const drop = ({ name, extension_id: extensionId }: AddedExtension) => {
    if (confirm(`Remove ${name}? Its directory, and its data in profiles, stay.`))
      void attempt(() => app.removeExtension({ extensionId }), "The extension is removed.");
  };
  return (
    <Table label="List of extensions" heads={["Name", "Version", "Id", "Directory", "Remove"]}>
      {extensions.map((extension) => (
        <tr key={extension.extension_id}>
          <td>{extension.name}</td>
          <td>{extension.version}</td>
          <td>
            <code>{extension.extension_id}</code> <Copy text={extension.extension_id} />
          </td>
          <td class={extension.error === undefined ? "" : "warn"}>{extension.error ?? extension.dir}</td>
          <td>
            <button type="button" class="danger" onClick={() => drop(extension)}>
              Remove <span class="soft">{extension.name}</span>
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}
