/** A modal dialog: the browser's own, so that focus stays inside and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export function Dialog(props: { title: string; onClose(): void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const gone = useRef(false);
  // Before anything is painted: keys that follow are the dialog's.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      // What takes its place is not to be closed by the event of this one.
      gone.current = true;
      dialog?.close();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={heading} onClose={() => gone.current || props.onClose()}>
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
