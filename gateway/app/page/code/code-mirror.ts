/** Shows, edits and compares code: the only module that uses CodeMirror, loaded when code is first shown. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export interface LineNote {
  /** From 1. */
  line: number;
  text: string;
}

export interface CodeOptions {
  label: string;
  text: string;
  /** `text` is shown as a change of this; null shows it alone. */
  before: string | null;
  onChange: ((text: string) => void) | null;
}

export interface CodeHandle {
  setText(text: string): void;
  setNotes(notes: readonly LineNote[]): void;
  goToLine(line: number): void;
  close(): void;
}

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", maxHeight: "65vh" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", fontSize: "13px", lineHeight: "1.5" },
  ".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--ground)", border: "0" },
  ".cm-content": { caretColor: "var(--ink)" },
  // Light tints, so that text on them stays readable.
  "& .cm-changedLine.cm-line, & .cm-insertedLine.cm-line": { backgroundColor: tint("--good") },
  "& .cm-deletedChunk": { backgroundColor: tint("--bad"), paddingLeft: "6px" },
  "& .cm-changedText, & .cm-deletedChunk .cm-deletedText": {
    background: "none",
    textDecoration: "underline 2px",
    textUnderlineOffset: "3px",
  },
  "& .cm-changedText": { textDecorationColor: "var(--good)" },
  "& .cm-deletedChunk .cm-deletedText": { textDecorationColor: "var(--bad)" },
  "& .cm-collapsedLines": { color: "var(--soft)", background: "var(--ground)" },
  // Few fonts have CodeMirror's own character.
  "& .cm-collapsedLines:before, & .cm-collapsedLines:after": { content: "'···'" },
});

function tint(colour: string): string {
  return `color-mix(in srgb, var(${colour}) 9%, var(--card))`;
}

const words = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.typeName, tags.className], color: "var(--warn)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
]);

const unchangedAround = { margin: 4, minSize: 10 };

function extensions({ label, before, onChange }: CodeOptions): Extension[] {
  const editing =
    onChange === null
      ? [EditorState.readOnly.of(true)]
      : [
          history(),
          indentOnInput(),
          bracketMatching(),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChange(update.state.doc.toString());
          }),
        ];
  const change =
    before === null
      ? []
      : [unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: unchangedAround })];
  return [
    lineNumbers(),
    lintGutter(),
    javascript({ typescript: true }),
    syntaxHighlighting(words),
    EditorView.lineWrapping,
    EditorView.darkTheme.of(matchMedia("(prefers-color-scheme: dark)").matches),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    // No binding for Tab: it leaves the editor, so that the page can be used by keyboard.
    keymap.of([...defaultKeymap, ...historyKeymap]),
    look,
    ...editing,
    ...change,
  ];
}

/** In a shadow root CodeMirror uses style sheet objects; elsewhere it adds style elements, which the policy refuses. */
export function openCode(place: HTMLElement, options: CodeOptions): CodeHandle {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const view = new EditorView({ root, parent: root, doc: options.text, extensions: extensions(options) });
  return {
    setText(text) {
      const { doc } = view.state;
      if (doc.toString() !== text) view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
    },
    setNotes(notes) {
      const { doc } = view.state;
      const diagnostics = notes
        .filter(({ line }) => line >= 1 && line <= doc.lines)
        .map(({ line, text }) => {
          const { from, to } = doc.line(line);
          return { from, to, severity: "error" as const, message: text };
        });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goToLine(line) {
      const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: "center" }),
      });
      view.focus();
    },
    close: () => view.destroy(),
  };
}
