/** The verb set-file: sets files of the uploads folder in a file input, or in the file chooser that an element opens. */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { Fault } from "../../../protocol/faults.ts";
import { createDeferred } from "../../kernel/deferred.ts";
import type { Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import { click } from "./click.ts";
import { callOn, type Element, withControl } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { fileInput } from "./in-page.ts";
import type { Work } from "./work.ts";

export const work: Work<"setFile"> = async ({ onElement, uploadsDir }, input) => {
  const paths = [input.path, ...(input.more_paths ?? [])];
  const files = await Promise.all(paths.map((path) => checkUpload(uploadsDir, path)));
  return onElement(input.node_id, (element) => setFiles(element, input.node_id, files));
};

/** The real path of `path` in the uploads folder (protocol/README.md, "Page driving"). Throws `invalid` unless it is a file there. */
async function checkUpload(uploadsDir: string, path: string): Promise<string> {
  const named = JSON.stringify(path);
  const outside = new Fault(
    "invalid",
    `path ${named} lies outside the uploads folder; give one that is relative to it (troupe uploads prints the folder)`,
  );
  const missing = new Fault(
    "invalid",
    `path ${named}: there is no such file in the uploads folder; put it there first (troupe uploads prints the folder)`,
  );
  if (path.includes("\0") || isAbsolute(path) || !isWithin(uploadsDir, resolve(uploadsDir, path)))
    throw outside;
  const [folder, file] = await Promise.all([realOrNull(uploadsDir), realOrNull(resolve(uploadsDir, path))]);
  if (folder === null || file === null) throw missing;
  if (!isWithin(folder, file)) throw outside;
  if (!(await stat(file)).isFile()) throw new Fault("invalid", `path ${named} is not a file`);
  return file;
}

const opensMs = 3_000;

/** Throws `conflict` unless the element is an enabled file input, its label, or opens a file chooser, and takes so many files. */
async function setFiles(element: Element, nodeId: number, files: string[]): Promise<void> {
  const ready = await callOn<{ several: boolean } | Refusal>(element, fileInput);
  if ("error" in ready) {
    if (ready.error !== "not-file-input") throw refusalFault(nodeId, ready);
    await chooseFiles(element, nodeId, files, ready);
    return;
  }
  if (files.length > 1 && !ready.several) throw refusalFault(nodeId, { error: "one-file" });
  await withControl(element, nodeId, ({ frame, objectId }) =>
    frame.session.send("DOM.setFileInputFiles", { files, objectId }),
  );
}

/** Clicks the element, and gives the files to the chooser that this opens. Throws `none` as a fault when none opens. */
async function chooseFiles(element: Element, nodeId: number, files: string[], none: Refusal): Promise<void> {
  const { session } = element.frame;
  const opened = createDeferred<Protocol.Page.FileChooserOpenedEvent>();
  const off = session.on("Page.fileChooserOpened", (event) => opened.resolve(event));
  await session.send("Page.setInterceptFileChooserDialog", { enabled: true });
  try {
    await click(element, nodeId);
    const chooser = await within(opened.promise, opensMs);
    if (chooser === null) throw refusalFault(nodeId, none);
    // The file input need not be in the page. The chooser of `showOpenFilePicker` has none.
    const { backendNodeId, mode } = chooser.value;
    const refuse = (error: Refusal["error"]) => refusalFault(nodeId, { ...none, error });
    if (backendNodeId === undefined) throw refuse("own-picker");
    const { node } = await session.send("DOM.describeNode", { backendNodeId });
    if (node.attributes?.includes("webkitdirectory") === true) throw refuse("folder-input");
    if (files.length > 1 && mode !== "selectMultiple") throw refuse("one-file");
    await session.send("DOM.setFileInputFiles", { files, backendNodeId });
  } finally {
    off();
    session.send("Page.setInterceptFileChooserDialog", { enabled: false }).catch(() => {}); // The tab may have closed.
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function realOrNull(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENAMETOOLONG") return null;
    throw error;
  }
}
