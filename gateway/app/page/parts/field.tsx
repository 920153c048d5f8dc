/** A form's field with its label and hint. */
import type { ComponentChildren } from "preact";

export function Field(props: { label: string; hint?: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label class="field">
      <span>{props.label}</span>
      {props.children}
      {props.hint === undefined ? null : <small class="soft">{props.hint}</small>}
    </label>
  );
}
