/** A modal dialog of the browser, so that the focus stays inside and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export function Dialog(props: {
  title: string;
  /** Asked before Escape and × close it; absent: they always do. */
  mayClose?(): boolean;
  onClose(): void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const gone = useRef(false);
  // Before the first paint, so that the next key goes to the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      // This dialog's close event must not close the dialog that replaces it.
      gone.current = true;
      dialog?.close();
    };
  }, []);
  const mayClose = () => props.mayClose?.() ?? true;
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={(event) => mayClose() || event.preventDefault()}
      onClose={() => gone.current || props.onClose()}
    >
      <div class="row ends">
        <h2 id={heading}>{props.title}</h2>
        <button type="button" aria-label="Close" onClick={() => mayClose() && props.onClose()}>
          ×
        </button>
      </div>
      {props.children}
    </dialog>
  );
}
