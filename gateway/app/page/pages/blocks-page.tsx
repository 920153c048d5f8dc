/** The editor of blocks: a program put together by hand, its code beside it, saved as a script and tried on a profile. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ScriptLibrary } from "../../../../protocol/scalars.ts";
import { app, CallError, get, post } from "../api.ts";
import { Canvas } from "../blocks/canvas.tsx";
import { type BlockKind, type DslSchema, kindsOf, type Resolve, resolverOf } from "../blocks/kinds.ts";
import { ObjectForm } from "../blocks/schema-form.tsx";
import type { Selected, Workspace } from "../blocks/workspace.ts";
import { Code } from "../code/code.tsx";
import { attempt } from "../notices.tsx";
import { Field } from "../parts/field.tsx";
import { goTo } from "../route.ts";
import { RunDialog } from "./run-dialog.tsx";

type Document = Record<string, unknown>;

interface Opened {
  schema: DslSchema;
  dsl: Document;
  name: string;
  target: ScriptLibrary;
}

const emptyDocument: Document = { dslVersion: "1.0", steps: [] };

async function open(scriptId: string | null): Promise<Opened> {
  const { schema } = await get<{ schema: DslSchema }>("/v1/dsl/schema");
  if (scriptId === null) return { schema, dsl: emptyDocument, name: "", target: "playwright" };
  const { script, target, dsl } = await app.readDslScript({ scriptId });
  return { schema, dsl, name: script.name, target };
}

export function BlocksPage({ scriptId }: { scriptId: string | null }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  useEffect(() => {
    setOpened(null);
    void attempt(async () => setOpened(await open(scriptId)));
  }, [scriptId]);
  return (
    <>
      <p>
        <a href="#/scripts">All scripts</a>
      </p>
      <h1>Editor of blocks</h1>
      {opened === null ? null : <Editor key={scriptId ?? ""} scriptId={scriptId} opened={opened} />}
    </>
  );
}

interface Compiled {
  code: string;
  warnings: string[];
  /** Why there is no code. */
  error: string | null;
}

/** Changes that come close together are compiled as one. */
const gatherMs = 150;

/** The code of what is on the canvas, made anew after each change. */
function useCompiled(dsl: Document, target: ScriptLibrary): Compiled {
  const [compiled, setCompiled] = useState<Compiled>({ code: "", warnings: [], error: null });
  useEffect(() => {
    let overtaken = false;
    const compile = async () => {
      try {
        const { code, warnings } = await post<Compiled>("/v1/dsl/compile", { dsl, target });
        if (!overtaken) setCompiled({ code, warnings, error: null });
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        if (!overtaken) setCompiled((before) => ({ ...before, warnings: [], error: error.message }));
      }
    };
    const timer = setTimeout(() => void attempt(compile), gatherMs);
    return () => {
      overtaken = true;
      clearTimeout(timer);
    };
  }, [dsl, target]);
  return compiled;
}

/** What is said about a block, by its id: `node n7 [code] text`, and the lines of a refusal that name a block. */
export function warningsByBlock(lines: readonly string[]): Map<string, string> {
  const said = new Map<string, string>();
  for (const line of lines) {
    const [, id, text] = /\bnode ([A-Za-z][\w-]*)\b:?\s*(.*)/.exec(line) ?? [];
    if (id === undefined || text === undefined) continue;
    said.set(id, [said.get(id), text].filter(Boolean).join("\n"));
  }
  return said;
}

function Editor({ scriptId, opened }: { scriptId: string | null; opened: Opened }) {
  const kinds = useMemo(() => kindsOf(opened.schema), [opened]);
  const resolve = useMemo(() => resolverOf(opened.schema), [opened]);
  const [workspace, setWorkspace] = useState<Workspace | null>(null);
  const [selected, setSelected] = useState<Selected | null>(null);
  const [dsl, setDsl] = useState(opened.dsl);
  const [target, setTarget] = useState(opened.target);
  const compiled = useCompiled(dsl, target);
  useEffect(() => {
    workspace?.setWarnings(warningsByBlock([...compiled.warnings, ...(compiled.error ?? "").split("\n")]));
  }, [workspace, compiled]);
  const onOpen = (next: Workspace | null) => {
    setWorkspace(next);
    if (next !== null) setDsl({ ...opened.dsl, steps: next.steps() });
  };
  const onChange = () => workspace !== null && setDsl({ ...opened.dsl, steps: workspace.steps() });
  return (
    <>
      <Bar
        scriptId={scriptId}
        opened={opened}
        dsl={dsl}
        target={target}
        onTarget={setTarget}
        workspace={workspace}
      />
      <div class="editor">
        <Canvas
          kinds={kinds}
          steps={opened.dsl.steps}
          onOpen={onOpen}
          onChange={onChange}
          onSelect={setSelected}
        />
        <BlockForm kinds={kinds} selected={selected} resolve={resolve} workspace={workspace} />
      </div>
      <Result compiled={compiled} loose={workspace?.looseCount() ?? 0} target={target} />
    </>
  );
}

interface BarProps {
  scriptId: string | null;
  opened: Opened;
  dsl: Document;
  target: ScriptLibrary;
  onTarget(target: ScriptLibrary): void;
  workspace: Workspace | null;
}

function Bar({ scriptId, opened, dsl, target, onTarget, workspace }: BarProps) {
  const [name, setName] = useState(opened.name);
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
      <Field label="Runs with">
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

interface BlockFormProps {
  kinds: readonly BlockKind[];
  selected: Selected | null;
  resolve: Resolve;
  workspace: Workspace | null;
}

function BlockForm({ kinds, selected, resolve, workspace }: BlockFormProps) {
  const kind = kinds.find((known) => known.kind === selected?.kind);
  if (selected === null || kind === undefined) {
    return <aside class="card soft">Drag blocks below Start, and choose one to fill it in.</aside>;
  }
  return (
    <aside class="card" aria-label="Block">
      <h2>{kind.kind}</h2>
      <p class="soft">{kind.description}</p>
      <ObjectForm
        key={selected.id}
        schema={kind.form}
        value={selected.props}
        label={kind.kind}
        resolve={resolve}
        onChange={(props) => workspace?.setProps(selected.id, Object(props))}
      />
    </aside>
  );
}

function Result({ compiled, loose, target }: { compiled: Compiled; loose: number; target: ScriptLibrary }) {
  return (
    <section class="card" aria-label="Code">
      <h2>What it runs as</h2>
      {loose === 0 ? null : <p class="warn">{loose} pieces hang from nothing and are no part of it.</p>}
      {compiled.error === null ? null : <p class="bad said">{compiled.error}</p>}
      {compiled.warnings.map((warning) => (
        <p key={warning} class="warn">
          {warning}
        </p>
      ))}
      <Code label={`Code for ${target}`} source={compiled.code} />
    </section>
  );
}
