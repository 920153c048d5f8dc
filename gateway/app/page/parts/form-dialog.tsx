/** A dialog with a form: one submit at a time, errors are shown in the dialog, and what was entered is not thrown away unasked. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";

export function FormDialog(props: {
  title: string;
  submit: string;
  ready?: boolean;
  danger?: boolean;
  act(): Promise<unknown>;
  onClose(): void;
  children: ComponentChildren;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const entered = useRef(false);
  const mayClose = () => !entered.current || confirm("Discard what you entered?");
  const submit = async () => {
    setBusy(true);
    setError(null);
    try {
      await props.act();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    setBusy(false);
  };
  return (
    <Dialog title={props.title} mayClose={mayClose} onClose={props.onClose}>
      <form
        onInput={() => {
          entered.current = true;
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void submit();
        }}
      >
        {props.children}
        {error === null ? null : (
          <p class="bad said" role="alert">
            {error}
          </p>
        )}
        <div class="row ends">
          <button type="button" onClick={() => mayClose() && props.onClose()}>
            Cancel
          </button>
          <button
            type="submit"
            class={props.danger ? "danger" : "main"}
            disabled={busy || props.ready === false}
          >
            {busy ? "Working …" : props.submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
