/** A code editor and a data grid from npm, unchanged: what is typed and chosen is in the widget's own state. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { widgetPage } from "./fixture/widget-page.ts";

const page = widgetPage();

test("Monaco: code is typed behind what is there, and its own history undoes it", async () => {
  await page.widget(
    `<div id="e" style="height:300px"></div>`,
    `import * as monaco from "monaco-editor";
     globalThis.editor = monaco.editor.create(e, { value: "let a = 1;", language: "plaintext", minimap: { enabled: false } });`,
  );
  await page.click(".view-line");
  await page.verbs.pressKey({ key: "End" });
  await page.type(".native-edit-context, .monaco-editor textarea", "\nlet b = 2;");
  assert.equal(await page.value("editor.getValue()"), "let a = 1;\nlet b = 2;");
  await page.verbs.pressKey({ key: "Control+Z" });
  assert.notEqual(await page.value("editor.getValue()"), "let a = 1;\nlet b = 2;");
});

test("AG Grid: a cell is edited, a column sorted and a row chosen", async () => {
  await page.widget(
    `<div id="e" style="height:400px;width:600px"></div>`,
    `import { AllCommunityModule, createGrid, ModuleRegistry } from "ag-grid-community";
     ModuleRegistry.registerModules([AllCommunityModule]);
     globalThis.grid = createGrid(e, {
       columnDefs: [{ field: "name", editable: true }, { field: "age" }],
       rowData: [{ name: "Ada", age: 36 }, { name: "Grace", age: 85 }, { name: "Alan", age: 41 }],
       rowSelection: { mode: "multiRow" },
     });`,
  );
  await page.verbs.waitFor({ text: "Grace" });
  await page.verbs.click({ node_id: await page.idOf(/gridcell "Grace"/), count: 2 });
  // The grid selects what is there, so the text replaces it.
  await page.type(`.ag-row[row-id="1"] input[type="text"]`, "Grace Hopper");
  await page.verbs.pressKey({ key: "Enter" });
  assert.equal(await page.value("grid.getDisplayedRowAtIndex(1).data.name"), "Grace Hopper");
  await page.verbs.click({ node_id: await page.idOf(/columnheader "Age"/) });
  assert.deepEqual(
    await page.value("[0, 1, 2].map((at) => grid.getDisplayedRowAtIndex(at).data.age)"),
    [36, 41, 85],
  );
  await page.verbs.check({ node_id: await page.idOf(/checkbox .*\(unchecked\)/), checked: true });
  assert.deepEqual(await page.value("grid.getSelectedRows().map((row) => row.name)"), ["Ada"]);
});
