/** Code as a component; loads CodeMirror when it is first needed. */
import { useEffect, useRef } from "preact/hooks";
import { attempt } from "../notices.tsx";
import type { CodeHandle, LineNote } from "./code-mirror.ts";

export interface CodeProps {
  label: string;
  source: string;
  before?: string;
  /** Makes the code editable; `source` is then only the initial text. */
  onChange?(source: string): void;
  notes?: readonly LineNote[];
  /** A line to show; a new object shows it again. */
  goTo?: { line: number } | null;
}

const none: readonly LineNote[] = [];

export function Code({ label, source, before, onChange, notes = none, goTo = null }: CodeProps) {
  const place = useRef<HTMLDivElement>(null);
  const handle = useRef<CodeHandle | null>(null);
  const latest = useRef({ source, notes, onChange });
  latest.current = { source, notes, onChange };
  const editable = onChange !== undefined;
  useEffect(() => {
    let gone = false;
    const open = async () => {
      const { openCode } = await import("./code-mirror.ts");
      if (gone || place.current === null) return;
      handle.current = openCode(place.current, {
        label,
        text: latest.current.source,
        before: before ?? null,
        onChange: editable ? (text) => latest.current.onChange?.(text) : null,
      });
      handle.current.setNotes(latest.current.notes);
    };
    void attempt(open);
    return () => {
      gone = true;
      handle.current?.close();
      handle.current = null;
    };
  }, [label, before, editable]);
  // While the user edits, the editor owns the text: setting `source` could undo the last letters.
  useEffect(() => {
    if (!editable) handle.current?.setText(source);
  }, [source, editable]);
  useEffect(() => handle.current?.setNotes(notes), [notes]);
  useEffect(() => {
    if (goTo !== null) handle.current?.goToLine(goTo.line);
  }, [goTo]);
  return <div ref={place} class="code" />;
}
