/** Files for choosers that elements of a page open, whose input may be nowhere in the page. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();

const setFile = async (selector: string) => {
  await writeFile(join(page.dir, "photo.txt"), "a photo");
  await page.verbs.setFile({ node_id: await page.find(selector), path: "photo.txt" });
};

test("a button whose input is made for each click, and a drop zone with a hidden input, get the file", async () => {
  await page.show(`<button id="attach">Attach</button><div id="zone" style="padding:30px">Drop or click<input id="hidden" type="file" hidden></div>
    <script>
      let tell;
      const read = new Promise((done) => { tell = done; });
      attach.onclick = () => {
        const input = Object.assign(document.createElement("input"), { type: "file" });
        input.onchange = async () => { tell(input.files[0].name + ": " + (await input.files[0].text())); };
        input.click();
      };
      zone.onclick = () => hidden.click();
    </script>`);
  await setFile("#attach");
  assert.equal(await page.value("read"), "photo.txt: a photo");
  await setFile("#zone");
  assert.equal(await page.value("hidden.files[0].name"), "photo.txt");
});

test("an element that opens no chooser is a conflict", async () => {
  await page.show(`<button id="plain">Plain</button><input id="f" type="file">`);
  await assert.rejects(
    setFile("#plain"),
    conflict(/<button#plain> "Plain", is not a file input, and opened no file chooser when it was clicked/),
  );
  await setFile("#f");
  assert.equal(await page.value("f.files[0].name"), "photo.txt");
});
