/** Datasets as text: their columns and row counts. */
import type { Dataset, RowCounts } from "../../../../protocol/datasets.ts";

/** The counts of the mode's states: `9,990 unassigned, 10 assigned`. */
export function countsOf({ mode, rows }: Dataset): string {
  const states: (keyof RowCounts)[] =
    mode === "fixed" ? ["unassigned", "assigned"] : ["available", "reserved", "used"];
  return states.map((state) => `${rows[state].toLocaleString()} ${state}`).join(", ");
}

export function ColumnTags({ dataset: { columns } }: { dataset: Dataset }) {
  return (
    <span class="row tight">
      {columns.map(({ name, secret }) => (
        <span key={name} class={`tag ${secret ? "warn" : ""}`}>
          {secret ? `${name}, secret` : name}
        </span>
      ))}
    </span>
  );
}
