/** The block editor: a program on a canvas with its forms, and the code that it compiles to. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ScriptLibrary } from "../../../../protocol/scalars.ts";
import { app, CallError, get, post } from "../api.ts";
import { Code } from "../code/code.tsx";
import { attempt } from "../notices.tsx";
import { BlockForm, PartForm } from "./block-form.tsx";
import { Bar } from "./blocks-bar.tsx";
import { Canvas } from "./canvas.tsx";
import { type DslSchema, kindsOf, resolverOf } from "./kinds.ts";
import { Outline } from "./outline.tsx";
import { type Document, type Part, Parts, stepsOf, withSteps } from "./parts.tsx";
import { idsIn, type Step } from "./tree.ts";
import type { Selected, Workspace } from "./workspace.ts";

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
      <h1>Block editor</h1>
      {opened === null ? null : <Editor key={scriptId ?? ""} scriptId={scriptId} opened={opened} />}
    </>
  );
}

interface Compiled {
  code: string;
  warnings: string[];
  error: string | null;
}

const gatherMs = 150;

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

/** Messages by block id, from warnings such as `node n7 [code] text` and the lines of a refusal that name a block. */
function warningsByBlock(lines: readonly string[]): Map<string, string> {
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
  const [part, setPart] = useState<Part>(null);
  const [target, setTarget] = useState(opened.target);
  const compiled = useCompiled(dsl, target);
  useEffect(() => {
    workspace?.setWarnings(warningsByBlock([...compiled.warnings, ...(compiled.error ?? "").split("\n")]));
  }, [workspace, compiled]);
  // The canvas's initial content; from then on the canvas holds the part's steps.
  const begun = useMemo(() => {
    const others = withSteps(dsl, part, []);
    return { steps: stepsOf(dsl, part), otherIds: idsIn([others.steps, others.subflows]) };
  }, [part]);
  const keep = (steps: readonly Step[]) => setDsl((before) => withSteps(before, part, steps));
  const show = (next: Part) => {
    setSelected(null);
    setPart(next);
  };
  return (
    <>
      <Bar
        scriptId={scriptId}
        name={opened.name}
        dsl={dsl}
        target={target}
        onTarget={setTarget}
        workspace={workspace}
      />
      <Parts dsl={dsl} part={part} onShow={show} onChange={setDsl} />
      <div class="editor">
        <Canvas
          kinds={kinds}
          {...begun}
          onOpen={(next) => {
            setWorkspace(next);
            if (next !== null) keep(next.steps());
          }}
          onChange={() => workspace !== null && keep(workspace.steps())}
          onSelect={setSelected}
        />
        <aside class="card">
          {workspace === null ? null : <Outline kinds={kinds} workspace={workspace} selected={selected} />}
          {selected === null ? (
            <PartForm schema={opened.schema} dsl={dsl} part={part} resolve={resolve} onChange={setDsl} />
          ) : (
            <BlockForm kinds={kinds} selected={selected} resolve={resolve} workspace={workspace} />
          )}
        </aside>
      </div>
      <Result compiled={compiled} loose={workspace?.looseCount() ?? 0} target={target} />
    </>
  );
}

function Result({ compiled, loose, target }: { compiled: Compiled; loose: number; target: ScriptLibrary }) {
  return (
    <section class="card" aria-label="Code">
      <h2>Compiled code</h2>
      {loose === 0 ? null : <p class="warn">Blocks that are not connected to Start do not run: {loose}.</p>}
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
