/** A modal dialog: the browser's own, so that focus stays inside and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export function Dialog(props: { title: string; onClose(): void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={heading} onClose={props.onClose}>
      <div class="row ends">
        <h2 id={heading}>{props.title}</h2>
        <button type="button" aria-label="Close" onClick={props.onClose}>
          ×
        </button>
      </div>
      {props.children}
    </dialog>
  );
}
