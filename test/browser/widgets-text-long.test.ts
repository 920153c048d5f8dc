/** Editors and masked fields from npm, unchanged: what is typed is in the widget's own state. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { widgetPage } from "./fixture/widget-page.ts";

const page = widgetPage();
const { value } = { value: (expression: string) => page.value(expression) };

test("Quill: text is typed behind what is there, and made bold with a chord", async () => {
  await page.widget(
    `<div id="e"><p>One</p></div>`,
    `import Quill from "quill"; import "quill/dist/quill.snow.css"; globalThis.quill = new Quill("#e", { theme: "snow" });`,
  );
  await page.type(".ql-editor", " and two");
  assert.equal(await value("quill.getText()"), "One and two\n");
  await page.verbs.pressKey({ key: "Control+A" });
  await page.verbs.pressKey({ key: "Control+B" });
  assert.deepEqual(await value("quill.getFormat(0, 3)"), { bold: true });
});

test("TinyMCE: the editable document in its frame takes text", async () => {
  await page.widget(
    `<textarea id="e"><p>Dear</p></textarea>`,
    `import tinymce from "tinymce"; import "tinymce/icons/default"; import "tinymce/themes/silver"; import "tinymce/models/dom"; import "tinymce/skins/ui/oxide/skin.css";
     const [editor] = await tinymce.init({ selector: "#e", license_key: "gpl", skin: false, content_css: false, promotion: false }); globalThis.editor = editor;`,
  );
  const frame = await page.idOf(/^ *(iframe|document|textbox|paragraph).*\[id=/);
  assert.ok(frame > 0);
  await page.verbs.type({ node_id: await page.find("iframe"), text: " Ada" });
  assert.equal(await value("editor.getContent({ format: 'text' })"), "Dear Ada");
});

test("CodeMirror 6: code is typed and its own history undoes it", async () => {
  await page.widget(
    `<div id="e"></div>`,
    `import { EditorView, keymap } from "@codemirror/view"; import { history, historyKeymap } from "@codemirror/commands";
     globalThis.view = new EditorView({ doc: "let a;", parent: e, extensions: [history(), keymap.of(historyKeymap)] });`,
  );
  await page.type(".cm-content", "\nlet b;");
  assert.equal(await value("view.state.doc.toString()"), "let a;\nlet b;");
  await page.verbs.pressKey({ key: "Control+Z" });
  assert.notEqual(await value("view.state.doc.toString()"), "let a;\nlet b;");
});

test("CodeMirror 5: its hidden field takes what is typed into the editor", async () => {
  await page.widget(
    `<div id="e"></div>`,
    `import CodeMirror from "codemirror"; import "codemirror/lib/codemirror.css"; globalThis.cm = CodeMirror(e, { value: "1" });`,
  );
  await page.click(".CodeMirror-line");
  await page.verbs.pressKey({ key: "End" });
  await page.type(".CodeMirror textarea", " + 2");
  assert.equal(await value("cm.getValue()"), "1 + 2");
});

test("ProseMirror: a paragraph is typed and split", async () => {
  await page.widget(
    `<div id="e"></div>`,
    `import { EditorState } from "prosemirror-state"; import { EditorView } from "prosemirror-view"; import { schema } from "prosemirror-schema-basic";
     import { keymap } from "prosemirror-keymap"; import { baseKeymap } from "prosemirror-commands";
     globalThis.pm = new EditorView(e, { state: EditorState.create({ schema, plugins: [keymap(baseKeymap)] }) });`,
  );
  await page.type(".ProseMirror", "First");
  await page.verbs.pressKey({ key: "Enter" });
  await page.type(".ProseMirror", "Second");
  assert.deepEqual(await value("pm.state.doc.content.content.map((node) => node.textContent)"), [
    "First",
    "Second",
  ]);
});

test("Lexical: text is in its state", async () => {
  await page.widget(
    `<div id="e" contenteditable="true"></div>`,
    `import { createEditor, $getRoot } from "lexical"; import { registerRichText } from "@lexical/rich-text";
     const editor = createEditor({ onError(error) { throw error; } }); registerRichText(editor); editor.setRootElement(e);
     globalThis.text = () => editor.getEditorState().read(() => $getRoot().getTextContent());`,
  );
  await page.type("#e", "Hello there");
  assert.equal(await value("text()"), "Hello there");
});

test("Slate: text is in its value", async () => {
  await page.widget(
    `<div id="r"></div>`,
    `import { createEditor } from "slate"; import { Slate, Editable, withReact } from "slate-react"; import { createRoot } from "react-dom/client"; import { flushSync } from "react-dom";
     const editor = withReact(createEditor()); globalThis.slate = editor;
     flushSync(() => createRoot(r).render(<Slate editor={editor} initialValue={[{ type: "p", children: [{ text: "Now" }] }]}><Editable id="e" /></Slate>));`,
  );
  await page.type("#e", " or later");
  assert.equal(await value("slate.children[0].children[0].text"), "Now or later");
});

test("IMask and Inputmask: each digit is in its place, or the verb says what is missing", async () => {
  await page.widget(
    `<input id="lazy"><input id="shown"><input id="date">`,
    `import IMask from "imask"; import Inputmask from "inputmask";
     IMask(lazy, { mask: "+{7}(000)000-00-00" }); globalThis.mask = IMask(shown, { mask: "+{7}(000)000-00-00", lazy: false });
     Inputmask("99/99/9999").mask(date);`,
  );
  await page.type("#lazy", "9161234567");
  assert.equal(await value("lazy.value"), "+7(916)123-45-67");
  await page.type("#shown", "9161234567");
  assert.equal(await value("mask.unmaskedValue"), "79161234567");
  await page.type("#date", "24122026");
  assert.equal(await value("date.value"), "24/12/2026");
});
