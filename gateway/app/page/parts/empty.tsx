/** What an empty page says: what it is for, and its first button. */
import type { ComponentChildren } from "preact";

export function Empty(props: { title: string; children: ComponentChildren; first?: ComponentChildren }) {
  return (
    <section class="card empty" aria-label={props.title}>
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      {props.first === undefined ? null : <div class="row">{props.first}</div>}
    </section>
  );
}
