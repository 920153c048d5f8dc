/** The form beside the canvas: of the selected block, else of the part that is shown. */
import type { BlockKind, DslSchema, Resolve, Schema } from "./kinds.ts";
import { type Document, type Part, subflowOf, withSubflow } from "./parts.tsx";
import { ObjectForm } from "./schema-form.tsx";
import type { Selected, Workspace } from "./workspace.ts";

interface BlockFormProps {
  kinds: readonly BlockKind[];
  selected: Selected;
  resolve: Resolve;
  workspace: Workspace | null;
}

export function BlockForm({ kinds, selected, resolve, workspace }: BlockFormProps) {
  const kind = kinds.find((known) => known.kind === selected.kind);
  if (kind === undefined) return null;
  return (
    <section aria-label="Block">
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
    </section>
  );
}

interface PartFormProps {
  schema: DslSchema;
  dsl: Document;
  part: Part;
  resolve: Resolve;
  onChange(dsl: Document): void;
}

const programFields = ["inputs", "outputs", "settings"];

export function PartForm({ schema, dsl, part, resolve, onChange }: PartFormProps) {
  const form = (given: Schema | undefined, names: string[]): Schema => ({
    type: "object",
    required: [],
    properties: Object.fromEntries(
      Object.entries(given?.properties ?? {}).filter(([name]) => names.includes(name)),
    ),
  });
  return (
    <section aria-label={part === null ? "Program" : "Subflow"}>
      <h2>{part === null ? "Program" : `Subflow ${part}`}</h2>
      <p class="soft">Drag blocks below Start, or add them in the list above. Select a block to edit it.</p>
      {part === null ? (
        <ObjectForm
          schema={form(schema, programFields)}
          value={dsl}
          label="the program"
          resolve={resolve}
          onChange={(next) => onChange(Object(next))}
        />
      ) : (
        <ObjectForm
          schema={form(schema.$defs.Subflow, ["params"])}
          value={subflowOf(dsl, part)}
          label={part}
          resolve={resolve}
          onChange={(next) => onChange(withSubflow(dsl, part, Object(next)))}
        />
      )}
    </section>
  );
}
