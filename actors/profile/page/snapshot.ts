/** The verb snapshot: the accessibility trees of a tab's frames, or of one element, as text. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { failureOf } from "../cdp/session.ts";
import { type TreeSource, treeBelow } from "./ax-cache.ts";
import type { AxTree } from "./ax-tree.ts";
import type { Elements } from "./elements.ts";
import type { Frame } from "./frames.ts";
import { skippedElements } from "./in-page-changes.ts";
import { clickables } from "./in-page-clickable.ts";
import { listedNodes } from "./listed-nodes.ts";
import { addBoxes } from "./snapshot-boxes.ts";
import { selected, snapshotText, textOf } from "./snapshot-cut.ts";
import { type FrameNodes, type Line, linesOfFrame } from "./snapshot-text.ts";
import type { Tab } from "./tab.ts";
import { findNow } from "./wait-for-element.ts";
import type { Work } from "./work.ts";

export const work: Work<"snapshot"> = ({ inTab, where, elements, axCache, versions }, query) =>
  inTab(async (tab) => {
    const { since, selector, boxes, interactive, search, depth } = query;
    const lines = await snapshot(tab, elements, axCache, selector, interactive);
    if (boxes === true) await addBoxes(tab, elements, lines);
    const place = await where(tab);
    const first = place.title === "" ? place.url : `${place.title} — ${place.url}`;
    const of = JSON.stringify([
      tab.targetId,
      tab.frames.main?.loaderId,
      selector,
      boxes,
      interactive,
      search,
      depth,
    ]);
    const shown = selected(lines, query);
    const { version, changes } = versions.add(shown, of, since);
    if (changes !== null)
      return { snapshot: textOf([first, ...changes], query.max_chars), version, ...place };
    const whole = since === undefined ? {} : { whole: true as const };
    return { snapshot: snapshotText(first, shown, query), version, ...whole, ...place };
  });

interface Part {
  content: FrameNodes;
  owner: number | null;
}

/** The lines below the tab's line. Waits for parsing. `marked`: also says which texts are clickable. Throws `conflict` when `selector` has no match, `invalid` when it is not CSS. */
export async function snapshot(
  tab: Tab,
  elements: Elements,
  source: TreeSource,
  selector?: string,
  marked = false,
): Promise<Line[]> {
  await tab.loading.settled(limits.navigationSettleMs);
  await tab.frames.known();
  const frames = tab.frames.all();
  const [main] = frames;
  if (main === undefined) throw new Fault("conflict", "the page has not loaded yet; try again");
  const read = (frame: Frame) => partOf(tab, frame, elements, marked, () => source.tree(tab.frames, frame));
  if (selector === undefined) return assembled(frames, await Promise.all(frames.map(read)));

  const found = await findNow(tab, selector);
  if (found === null) throw new Fault("conflict", `nothing matches ${JSON.stringify(selector)}`);
  const { frame, objectId } = found;
  const scoped = partOf(tab, frame, elements, marked, () => treeBelow(frame, objectId));
  const first = await scoped.finally(() => {
    frame.session.send("Runtime.releaseObject", { objectId }).catch(() => {});
  });
  if (first === null) throw new Fault("conflict", "the page changed during snapshot");
  first.content.showTop = true;
  const inner = frames.filter((other) => isBelow(tab, other, frame));
  const below = await Promise.all(inner.map(read));
  return assembled([frame, ...inner], [{ ...first, owner: null }, ...below]);
}

/** Puts each frame under its element. Omits frames whose element is not shown. */
function assembled(frames: readonly Frame[], parts: readonly (Part | null)[]): Line[] {
  const byFrame = new Map(frames.map((frame, at) => [frame.id, parts[at] ?? null]));
  for (const frame of frames) {
    const part = byFrame.get(frame.id);
    const parent = frame.parentId === null ? null : byFrame.get(frame.parentId);
    if (part && parent && part.owner !== null) parent.content.children.set(part.owner, part.content);
  }
  const [first] = parts;
  if (!first) throw new Fault("conflict", "the page changed during snapshot");
  return linesOfFrame(first.content);
}

function isBelow(tab: Tab, frame: Frame, top: Frame): boolean {
  for (let id = frame.parentId; id !== null; id = tab.frames.get(id)?.parentId ?? null) {
    if (id === top.id) return true;
  }
  return false;
}

/** Null when an inner frame has closed or does not answer: the rest of the page is still useful. */
async function partOf(
  tab: Tab,
  frame: Frame,
  elements: Elements,
  marked: boolean,
  read: () => Promise<AxTree>,
): Promise<Part | null> {
  const parent = frame.parentId === null ? undefined : tab.frames.get(frame.parentId);
  try {
    const [tree, owner] = await Promise.all([
      read(),
      parent === undefined ? null : parent.session.send("DOM.getFrameOwner", { frameId: frame.id }),
    ]);
    const [unrendered, clickable] = await Promise.all([
      tree.hasHollow() ? listedNodes(tab, frame, skippedElements) : new Set<number>(),
      clickableIn(tab, frame, tree, marked),
    ]);
    const idOf = elements.idsOf(tab, frame);
    const content = {
      tree,
      top: tree.root,
      showTop: false,
      idOf,
      children: new Map(),
      unrendered,
      clickable,
    };
    return { content, owner: owner === null ? null : owner.backendNodeId };
  } catch (error) {
    if (parent !== undefined && failureOf(error) !== "browser-gone") return null;
    throw error;
  }
}

interface Clickable {
  revision: number;
  marked: boolean;
  nodes: ReadonlySet<number>;
}

const clickableOf = new WeakMap<AxTree, Clickable>();

/** The elements that the mouse shows to be clickable. Those of a tree that has not changed are not looked for again. */
async function clickableIn(
  tab: Tab,
  frame: Frame,
  tree: AxTree,
  marked: boolean,
): Promise<ReadonlySet<number>> {
  const { revision } = tree;
  const known = clickableOf.get(tree);
  if (known?.revision === revision && known.marked === marked) return known.nodes;
  const nodes = await listedNodes(tab, frame, clickables, marked);
  clickableOf.set(tree, { revision, marked, nodes });
  return nodes;
}
