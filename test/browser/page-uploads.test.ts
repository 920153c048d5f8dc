/** Files for choosers that elements of a page open, whose input may be nowhere in the page. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { conflict } from "../conflict.ts";
import { ownServer } from "./fixture/own-server.ts";
import { shownPage } from "./fixture/shown-page.ts";

const page = shownPage();
const asking = `<!doctype html><button id="open" onclick="showOpenFilePicker().catch(() => {})">Open</button>`;
const server = ownServer((_request, response) => {
  response.setHeader("Content-Type", "text/html");
  response.end(asking);
});

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

test("an input for several files gets them all at once, also by the chooser that a button opens, and one for a single file refuses them", async () => {
  await page.show(`<input id="several" type="file" multiple><input id="one" type="file">
    <button id="attach" onclick="several.click()">Attach</button><button id="photo" onclick="one.click()">Photo</button>`);
  const paths = ["a.txt", "b.txt"];
  for (const path of paths) await writeFile(join(page.dir, path), path);
  const give = async (selector: string, given = paths) =>
    page.verbs.setFile({
      node_id: await page.find(selector),
      path: given[0] ?? "",
      more_paths: given.slice(1),
    });
  const names = () => page.value("[...several.files].map((file) => file.name)");
  await give("#several");
  assert.deepEqual(await names(), paths);
  await give("#several", ["b.txt"]);
  assert.deepEqual(await names(), ["b.txt"]);
  await give("#attach");
  assert.deepEqual(await names(), paths);
  for (const selector of ["#one", "#photo"])
    await assert.rejects(give(selector), conflict(/takes one file only/));
  await assert.rejects(give("#several", ["a.txt", "../x"]), {
    kind: "invalid",
    message: /outside the uploads/,
  });
});

test("a page's showOpenFilePicker, which takes no file from a program, is named", async () => {
  await page.verbs.navigate({ url: server.origin });
  await assert.rejects(setFile("#open"), conflict(/opened the picker of the page's showOpenFilePicker/));
});

test("a chooser for a folder is refused with the reason", async () => {
  await page.show(`<button id="folder">Folder</button><script>folder.onclick = () => {
    const input = document.createElement("input");
    Object.assign(input, { type: "file", webkitdirectory: true }).click();
  };</script>`);
  await assert.rejects(setFile("#folder"), conflict(/<button#folder> "Folder", takes a folder/));
});
