/** A table that scrolls on its own when it is wider than the window, also by keyboard. */
import type { ComponentChildren, VNode } from "preact";

/** `number`: of a column with numbers. */
type Head = string | VNode | { number: string };

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
            {heads.map((head, at) =>
              typeof head === "object" && "number" in head ? (
                <th key={at} class="number">
                  {head.number}
                </th>
              ) : (
                <th key={at}>{head}</th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
