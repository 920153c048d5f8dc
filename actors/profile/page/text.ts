/** The verb text: what a person reads of the page, as Markdown or plain text. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { TextQuery } from "../../../protocol/verbs/text.ts";
import { callOn, type Elements, release, wentAway } from "./elements.ts";
import type { Refusal } from "./faults.ts";
import type { Frame } from "./frames.ts";
import { framePlace, readableHtml } from "./in-page-read.ts";
import { readable } from "./readable.ts";
import { textOf } from "./snapshot-cut.ts";
import type { Tab } from "./tab.ts";
import { accepted } from "./through-frames.ts";
import type { Work } from "./work.ts";

/** An element instead of the whole document. */
interface Part {
  nodeId: number;
  objectId: string;
}

const charsMax = 8_000_000;

export const work: Work<"text"> = ({ onTab, elements }, query) =>
  onTab(async (tab) => {
    await tab.loading.settled(limits.navigationSettleMs);
    await tab.frames.known();
    const html = await htmlOf(tab, elements, query);
    const text = await readable(html, query.format ?? "markdown");
    return { text: textOf(text.split("\n"), query.max_chars, "node_id") };
  });

async function htmlOf(
  tab: Tab,
  elements: Elements,
  { node_id: nodeId, tab_id: tabId }: TextQuery,
): Promise<string> {
  if (nodeId === undefined) {
    const { main } = tab.frames;
    if (main === undefined) throw new Fault("conflict", "the page has not loaded yet; try again");
    return whole(tab, main);
  }
  const element = await elements.find(nodeId, tabId === undefined ? null : tab);
  try {
    return await whole(element.tab, element.frame, { nodeId, objectId: element.objectId });
  } finally {
    release(element);
  }
}

/** The frame's content, with that of the frames in it in their places. */
async function whole(tab: Tab, frame: Frame, part?: Part): Promise<string> {
  const html = await own(tab, frame, part);
  if (html === null)
    throw new Fault("conflict", `the page has more than ${charsMax} characters; give the node_id of a part`);
  if (!html.includes("<troupe-frame>")) return html;
  const inner = new Map<number, string>();
  for (const child of tab.frames.all().filter(({ parentId }) => parentId === frame.id)) {
    const place = await placeOf(tab, frame, child);
    if (place >= 0) inner.set(place, await whole(tab, child).catch(orNothing));
  }
  return html.replace(
    /<troupe-frame>(\d+)<\/troupe-frame>/g,
    (_whole, place) => inner.get(Number(place)) ?? "",
  );
}

/** A frame that has gone meanwhile has no text; the rest of the page is still useful. */
function orNothing(error: unknown): string {
  if (wentAway(error)) return "";
  throw error;
}

async function own(tab: Tab, frame: Frame, part?: Part): Promise<string | null> {
  const executionContextId = await tab.frames.world(frame);
  const target = part === undefined ? { executionContextId } : { objectId: part.objectId };
  const params = {
    functionDeclaration: readableHtml,
    arguments: [{ value: charsMax }],
    returnByValue: true,
    ...target,
  };
  const { result, exceptionDetails } = await frame.session.send("Runtime.callFunctionOn", params);
  if (exceptionDetails !== undefined)
    throw new Fault(
      "internal",
      `a page function failed: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`,
    );
  const read: { html: string | null } | Refusal = result.value;
  return accepted(part?.nodeId ?? 0, read).html;
}

async function placeOf(tab: Tab, parent: Frame, child: Frame): Promise<number> {
  try {
    const { backendNodeId } = await parent.session.send("DOM.getFrameOwner", { frameId: child.id });
    const executionContextId = await tab.frames.world(parent);
    const { object } = await parent.session.send("DOM.resolveNode", { backendNodeId, executionContextId });
    if (object.objectId === undefined) return -1;
    const owner = { tab, frame: parent, objectId: object.objectId };
    return await callOn<number>(owner, framePlace).finally(() => release(owner));
  } catch (error) {
    if (wentAway(error)) return -1;
    throw error;
  }
}
