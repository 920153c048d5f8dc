/** The program as a list: all edits by keyboard, and on windows too small to drag. */
import { useState } from "preact/hooks";
import { type BlockKind, groupNames } from "./kinds.ts";
import type { Selected, Workspace } from "./workspace.ts";

export interface OutlineProps {
  kinds: readonly BlockKind[];
  workspace: Workspace;
  selected: Selected | null;
}

export function Outline({ kinds, workspace, selected }: OutlineProps) {
  const [kind, setKind] = useState(kinds[0]?.kind ?? "");
  const lines = workspace.outline();
  const id = selected?.id ?? null;
  const slots = workspace.slotsOf(id);
  const add = (slot: string | null) => workspace.choose(workspace.add(kind, id, slot));
  const act = (work: (id: string) => void) => id !== null && work(id);
  return (
    <section class="outline" aria-label="Outline">
      <select
        size={8}
        aria-label="Blocks in order"
        value={id ?? ""}
        onChange={({ currentTarget: { value } }) => workspace.choose(value)}
        onKeyDown={(event) => {
          if (event.key === "Delete") act(workspace.remove);
          else if (event.altKey && event.key === "ArrowUp") act((one) => workspace.move(one, false));
          else if (event.altKey && event.key === "ArrowDown") act((one) => workspace.move(one, true));
          else if (event.key === "Escape") workspace.choose(null);
          else return;
          event.preventDefault();
        }}
      >
        {lines.map((line) => (
          <option key={line.id} value={line.id}>
            {`${"\u2003".repeat(line.depth)}${line.kind} ${line.summary}`.trimEnd()}
          </option>
        ))}
      </select>
      <div class="row">
        <KindSelect kinds={kinds} value={kind} onChange={setKind} />
        <button type="button" onClick={() => add(null)}>
          {id === null ? "Add at the end" : "Add below"}
        </button>
        {slots.map((slot) => (
          <button key={slot} type="button" onClick={() => add(slot)}>
            {`Add in ${slot}`}
          </button>
        ))}
      </div>
      {id === null ? null : (
        <div class="row">
          <button type="button" title="Alt+↑ in the list" onClick={() => workspace.move(id, false)}>
            Move up
          </button>
          <button type="button" title="Alt+↓ in the list" onClick={() => workspace.move(id, true)}>
            Move down
          </button>
          <button
            type="button"
            class="danger"
            title="Delete in the list"
            onClick={() => workspace.remove(id)}
          >
            Remove
          </button>
        </div>
      )}
    </section>
  );
}

function KindSelect(props: { kinds: readonly BlockKind[]; value: string; onChange(kind: string): void }) {
  const ofGroup = (group: string) => props.kinds.filter((known) => known.group === group);
  return (
    <select
      aria-label="Kind of the new block"
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      {groupNames.map((group) => (
        <optgroup key={group} label={group}>
          {ofGroup(group).map(({ kind }) => (
            <option key={kind}>{kind}</option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}
