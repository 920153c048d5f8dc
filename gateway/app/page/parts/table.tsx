/** A table that scrolls on its own when it is wider than the window, also by keyboard. */
import type { ComponentChildren, VNode } from "preact";

interface Sort {
  direction: "none" | "ascending" | "descending";
  onSort(): void;
}

/** `number`: of a column with numbers. */
export type Head = string | { text: string | VNode; number?: boolean; sort?: Sort };

interface TableProps {
  label: string;
  class?: string;
  heads: readonly Head[];
  /** The rows. */
  children: ComponentChildren;
}

export function Table({ label, class: name, heads, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class={name}>
        <thead>
          <tr>
            {heads.map((head, at) => (
              <HeadCell key={at} head={head} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function HeadCell({ head }: { head: Head }) {
  if (typeof head === "string") return <th>{head}</th>;
  const { text, number, sort } = head;
  const look = number === true ? "number" : undefined;
  if (sort === undefined) return <th class={look}>{text}</th>;
  return (
    <th class={look} aria-sort={sort.direction}>
      <button type="button" class="sort" onClick={sort.onSort}>
        {text}
      </button>
    </th>
  );
}
