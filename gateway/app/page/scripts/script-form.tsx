/** The form of a script: a new one, or a new source for an existing one. */
import { useMemo, useState } from "preact/hooks";
import type { Script } from "../../../../protocol/records.ts";
import { app } from "../api.ts";
import { Code } from "../code/code.tsx";
import { attempt } from "../notices.tsx";
import { useDraft } from "../parts/draft.ts";
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
      draftName="new"
      onSave={save}
      onCancel={() => goTo("scripts")}
    />
  );
}

const draftOf = ({ name, description, source }: Script): Draft => ({ name, description, source });

interface EditProps {
  script: Script;
  onSaved(): Promise<void>;
  onCancel(): void;
}

export function EditScript({ script, onSaved, onCancel }: EditProps) {
  const [first] = useState(script);
  const save = async (draft: Draft) => {
    await app.saveAppScript({ ...draft, scriptId: first.id });
    await onSaved();
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
      <ScriptForm
        title={`Edit ${first.name}`}
        first={draftOf(first)}
        draftName={first.id}
        onSave={save}
        onCancel={onCancel}
      />
    </>
  );
}

interface ScriptFormProps {
  title: string;
  first: Draft;
  /** Under which this tab keeps what is typed, until it is saved or cancelled. */
  draftName: string;
  onSave(draft: Draft): Promise<void>;
  onCancel(): void;
}

function ScriptForm({ title, first, draftName, onSave, onCancel }: ScriptFormProps) {
  const [{ name, description, source }, change, forget] = useDraft(`script-${draftName}`, first);
  const [line, setLine] = useState<{ line: number } | null>(null);
  const breaches = useBreaches(source);
  const notes = useMemo(() => notesOf(breaches), [breaches]);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        const save = async () => {
          await onSave({ name, description, source });
          forget();
        };
        void attempt(save, `${name} is saved.`);
      }}
    >
      <h1>{title}</h1>
      <Field label="Name">
        <input
          required
          maxLength={200}
          value={name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      <Field label="Description">
        <input
          maxLength={10_000}
          value={description}
          onInput={(event) => change({ description: event.currentTarget.value })}
        />
      </Field>
      <Code
        label="Source"
        source={source}
        onChange={(typed) => change({ source: typed })}
        notes={notes}
        goTo={line}
      />
      <Breaches breaches={breaches} onLine={(wanted) => setLine({ line: wanted })} />
      <div class="row">
        <button type="submit" class="main" disabled={breaches.length > 0}>
          Save
        </button>
        <button
          type="button"
          onClick={() => {
            forget();
            onCancel();
          }}
        >
          Cancel
        </button>
      </div>
    </form>
  );
}
