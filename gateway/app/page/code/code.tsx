/** Code as a part of a page: loads what shows it when it is first needed. */
import { useEffect, useRef } from "preact/hooks";
import { attempt } from "../notices.tsx";
import type { CodeHandle, LineNote } from "./code-mirror.ts";

export interface CodeProps {
  label: string;
  source: string;
  /** Shows `source` as a change of this. */
  before?: string;
  /** With it the code can be edited, from `source` on. */
  onChange?(source: string): void;
  notes?: readonly LineNote[];
  /** A line to go to; a new object goes there again. */
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
  // What is being written belongs to the editor: an older text given back would fight with the next letter.
  useEffect(() => {
    if (!editable) handle.current?.setText(source);
  }, [source, editable]);
  useEffect(() => handle.current?.setNotes(notes), [notes]);
  useEffect(() => {
    if (goTo !== null) handle.current?.goToLine(goTo.line);
  }, [goTo]);
  return <div ref={place} class="code" />;
}
