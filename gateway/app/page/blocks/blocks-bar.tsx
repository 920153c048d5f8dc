/** The bar of the block editor: name, save, try, undo, and import from a file. */
import { useState } from "preact/hooks";
import type { ScriptLibrary } from "../../../../protocol/scalars.ts";
import { app } from "../api.ts";
import { attempt } from "../notices.tsx";
import { Field } from "../parts/field.tsx";
import { goTo } from "../route.ts";
import { RunDialog } from "../runs/run-dialog.tsx";
import type { Workspace } from "./workspace.ts";

interface BarProps {
  scriptId: string | null;
  name: string;
  dsl: Record<string, unknown>;
  target: ScriptLibrary;
  onTarget(target: ScriptLibrary): void;
  workspace: Workspace | null;
}

export function Bar({ scriptId, name: first, dsl, target, onTarget, workspace }: BarProps) {
  const [name, setName] = useState(first);
  const [trying, setTrying] = useState<{ id: string; name: string; approved: boolean } | null>(null);
  const save = async () => {
    const saved = await app.saveDslScript({ name, description: "", dsl: { ...dsl, name }, target, scriptId });
    return { id: saved.scriptId, name, approved: saved.approved };
  };
  const saveOnly = async () => goTo("scripts", "blocks", (await save()).id);
  const importFile = async (file: File) => {
    const given = JSON.parse(await file.text());
    const saved = await app.saveDslScript({
      name: null,
      description: "",
      dsl: given,
      target,
      scriptId: null,
    });
    goTo("scripts", "blocks", saved.scriptId);
  };
  return (
    <form
      class="card row"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(saveOnly, `${name} is saved.`);
      }}
    >
      <Field label="Name">
        <input
          required
          maxLength={200}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <Field label="Library">
        <select
          value={target}
          onChange={({ currentTarget: { value } }) =>
            onTarget(value === "puppeteer" ? "puppeteer" : "playwright")
          }
        >
          <option value="playwright">Playwright</option>
          <option value="puppeteer">Puppeteer</option>
        </select>
      </Field>
      <button type="submit" class="main">
        Save
      </button>
      <button
        type="button"
        disabled={name === ""}
        onClick={() => void attempt(async () => setTrying(await save()))}
      >
        Save and try …
      </button>
      <button type="button" onClick={() => workspace?.undo(false)}>
        Undo
      </button>
      <button type="button" onClick={() => workspace?.undo(true)}>
        Redo
      </button>
      <Field label="Import a recording or a document">
        <input
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget: { files } }) => {
            const file = files?.[0];
            if (file !== undefined) void attempt(() => importFile(file), `${file.name} is imported.`);
          }}
        />
      </Field>
      {trying === null ? null : <RunDialog script={trying} onClose={() => setTrying(null)} />}
    </form>
  );
}
