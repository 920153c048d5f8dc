/** The form of a script: a new one, or a new source for an existing one. */
import { useMemo, useState } from "preact/hooks";
import type { Script } from "../../../../protocol/records.ts";
import { app } from "../api.ts";
import { Code } from "../code/code.tsx";
import { attempt } from "../notices.tsx";
import { Field } from "../parts/field.tsx";
import { goTo } from "../route.ts";
import { Breaches, notesOf, useBreaches } from "./breaches.tsx";

const beginning = `import type { Page } from "playwright-core";
import type { ScriptContext } from "@troupe/script";

export default async function run({ page, log, output }: ScriptContext<Page>): Promise<void> {
  await page.goto("https://example.com/");
  log.info("opened", page.url());
  output({ title: await page.title() });
}
`;

interface Draft {
  name: string;
  description: string;
  source: string;
}

export function NewScript() {
  const save = async (draft: Draft) => {
    const { scriptId } = await app.saveAppScript({ ...draft, scriptId: null });
    goTo("scripts", scriptId);
  };
  return (
    <ScriptForm
      title="New script"
      first={{ name: "", description: "", source: beginning }}
      onSave={save}
      onCancel={() => goTo("scripts")}
    />
  );
}

export function EditScript({ script, onDone }: { script: Script; onDone(): void }) {
  const [first] = useState(script);
  const save = async (draft: Draft) => {
    await app.saveAppScript({ ...draft, scriptId: first.id });
    onDone();
  };
  return (
    <>
      {script.sha256 === first.sha256 ? null : (
        <p class="card notice-card" role="alert">
          The script was changed while you edited it. Saving overwrites version {script.version}.
        </p>
      )}
      {first.origin === "app" ? null : (
        <p class="card notice-card">
          A program saved this script over the API. After you save it here, programs cannot replace it.
        </p>
      )}
      <ScriptForm title={`Edit ${first.name}`} first={first} onSave={save} onCancel={onDone} />
    </>
  );
}

interface ScriptFormProps {
  title: string;
  first: Draft;
  onSave(draft: Draft): Promise<void>;
  onCancel(): void;
}

function ScriptForm({ title, first, onSave, onCancel }: ScriptFormProps) {
  const [name, setName] = useState(first.name);
  const [description, setDescription] = useState(first.description);
  const [source, setSource] = useState(first.source);
  const [line, setLine] = useState<{ line: number } | null>(null);
  const breaches = useBreaches(source);
  const notes = useMemo(() => notesOf(breaches), [breaches]);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => onSave({ name, description, source }), `${name} is saved.`);
      }}
    >
      <h1>{title}</h1>
      <Field label="Name">
        <input
          required
          maxLength={200}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <Field label="Description">
        <input
          maxLength={10_000}
          value={description}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
      </Field>
      <Code label="Source" source={source} onChange={setSource} notes={notes} goTo={line} />
      <Breaches breaches={breaches} onLine={(wanted) => setLine({ line: wanted })} />
      <div class="row">
        <button type="submit" class="main" disabled={breaches.length > 0}>
          Save
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
