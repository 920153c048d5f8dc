/** The parts of a document, its program and its subflows: chooses, adds and removes them. */
import { useState } from "preact/hooks";

export type Document = Record<string, unknown>;

/** The name of a subflow; null for the program. */
export type Part = string | null;

const namePattern = "[A-Za-z_][A-Za-z0-9_]{0,63}"; // The pattern of every name in the DSL.

const subflowsOf = (dsl: Document): Record<string, Document> => Object(dsl.subflows);

export function stepsOf(dsl: Document, part: Part): unknown {
  return part === null ? dsl.steps : subflowsOf(dsl)[part]?.steps;
}

export function withSteps(dsl: Document, part: Part, steps: readonly unknown[]): Document {
  return part === null ? { ...dsl, steps } : withSubflow(dsl, part, { ...subflowsOf(dsl)[part], steps });
}

export function withSubflow(dsl: Document, name: string, subflow: Document): Document {
  return { ...dsl, subflows: { ...subflowsOf(dsl), [name]: subflow } };
}

export function subflowOf(dsl: Document, name: string): Document {
  return subflowsOf(dsl)[name] ?? {};
}

function without(dsl: Document, name: string): Document {
  const { subflows: _subflows, ...others } = dsl;
  const kept = Object.entries(subflowsOf(dsl)).filter(([known]) => known !== name);
  return kept.length === 0 ? others : { ...others, subflows: Object.fromEntries(kept) };
}

export function Parts(props: {
  dsl: Document;
  part: Part;
  onShow(part: Part): void;
  onChange(dsl: Document): void;
}) {
  const { dsl, part, onShow, onChange } = props;
  const [name, setName] = useState("");
  const names = Object.keys(subflowsOf(dsl));
  return (
    <form
      class="row parts"
      aria-label="Parts of the program"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(withSubflow(dsl, name, { steps: [] }));
        onShow(name);
        setName("");
      }}
    >
      <PartSelect part={part} names={names} onShow={onShow} />
      {part === null ? null : (
        <button
          type="button"
          class="danger"
          onClick={() => {
            if (!confirm(`Remove the subflow ${part} and its blocks?`)) return;
            onShow(null);
            onChange(without(dsl, part));
          }}
        >
          Remove subflow {part}
        </button>
      )}
      <span class="grow" />
      <input
        aria-label="Name of a new subflow"
        placeholder="name of a new subflow"
        required
        pattern={namePattern}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" disabled={name === "" || names.includes(name)}>
        Add subflow
      </button>
    </form>
  );
}

function PartSelect(props: { part: Part; names: readonly string[]; onShow(part: Part): void }) {
  return (
    <label>
      On the canvas:{" "}
      <select
        value={props.part ?? ""}
        onChange={({ currentTarget: { value } }) => props.onShow(value === "" ? null : value)}
      >
        <option value="">the program</option>
        {props.names.map((name) => (
          <option key={name} value={name}>
            subflow {name}
          </option>
        ))}
      </select>
    </label>
  );
}
