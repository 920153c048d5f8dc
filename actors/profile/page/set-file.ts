/** The verb set-file: sets a file of the uploads folder in a file input, or in the file chooser that an element opens. */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { Fault } from "../../../protocol/faults.ts";
import { createDeferred } from "../../kernel/deferred.ts";
import { within } from "../within.ts";
import { click } from "./click.ts";
import { callOn, type Element, elementFrom, gone, release } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { controlOf, fileInput } from "./in-page.ts";
import type { Work } from "./work.ts";

export const work: Work<"setFile"> = async ({ onElement, uploadsDir }, { node_id: nodeId, path }) => {
  const file = await checkUpload(uploadsDir, path);
  return onElement(nodeId, (element) => setFile(element, nodeId, file));
};

/** The real path of `path` in the uploads folder (protocol/README.md, "Page driving"). Throws `invalid` unless it is a file there. */
async function checkUpload(uploadsDir: string, path: string): Promise<string> {
  const named = JSON.stringify(path);
  const outside = new Fault("invalid", `path ${named} lies outside the uploads folder`);
  const missing = new Fault("invalid", `path ${named}: there is no such file in the uploads folder`);
  if (path.includes("\0") || isAbsolute(path) || !isWithin(uploadsDir, resolve(uploadsDir, path)))
    throw outside;
  const [folder, file] = await Promise.all([realOrNull(uploadsDir), realOrNull(resolve(uploadsDir, path))]);
  if (folder === null || file === null) throw missing;
  if (!isWithin(folder, file)) throw outside;
  if (!(await stat(file)).isFile()) throw new Fault("invalid", `path ${named} is not a file`);
  return file;
}

const opensMs = 3_000;

/** Throws `conflict` unless the element is an enabled file input, its label, or opens a file chooser. */
async function setFile(element: Element, nodeId: number, file: string): Promise<void> {
  const ready = await callOn<Record<string, never> | Refusal>(element, fileInput);
  if ("error" in ready) {
    const refusal = ready as Refusal;
    const backendNodeId = refusal.error === "not-file-input" ? await chosenBy(element, nodeId) : null;
    if (backendNodeId === null) throw refusalFault(nodeId, refusal);
    await element.frame.session.send("DOM.setFileInputFiles", { files: [file], backendNodeId });
    return;
  }
  const control = await elementFrom(element, controlOf);
  if (control === null) throw gone(nodeId);
  const { frame, objectId } = control;
  try {
    await frame.session.send("DOM.setFileInputFiles", { files: [file], objectId });
  } finally {
    release(control);
  }
}

/** Clicks the element. The file input whose chooser that opens, which need not be in the page; null for none. */
async function chosenBy(element: Element, nodeId: number): Promise<number | null> {
  const { session } = element.frame;
  const opened = createDeferred<number | null>();
  const off = session.on("Page.fileChooserOpened", ({ backendNodeId }) =>
    opened.resolve(backendNodeId ?? null),
  );
  await session.send("Page.setInterceptFileChooserDialog", { enabled: true });
  try {
    await click(element, nodeId);
    return (await within(opened.promise, opensMs))?.value ?? null;
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
