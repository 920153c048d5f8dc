/** The verb snapshot: the accessibility trees of the tab's frames, fetched side by side and put together as text. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { failureOf } from "../cdp/session.ts";
import type { Elements } from "./elements.ts";
import type { Frame } from "./frames.ts";
import { type FrameNodes, snapshotLines } from "./snapshot-text.ts";
import type { Tab } from "./tabs.ts";

/** The lines below the first. A page that is still being parsed is waited for a while, then read as far as it is. */
export async function snapshot(tab: Tab, elements: Elements): Promise<string[]> {
  await tab.loading.settled(limits.navigationSettleMs);
  await tab.frames.known();
  const frames = tab.frames.all();
  if (frames[0] === undefined) throw new Fault("conflict", "the page is not there yet");
  const parts = await Promise.all(frames.map((frame) => partOf(tab, frame, elements)));
  const byFrame = new Map(frames.map((frame, at) => [frame.id, parts[at] ?? null]));
  for (const frame of frames) {
    const part = byFrame.get(frame.id);
    const parent = frame.parentId === null ? null : byFrame.get(frame.parentId);
    if (part && parent && part.owner !== null) parent.content.children.set(part.owner, part.content);
  }
  const main = parts[0];
  if (!main) throw new Fault("conflict", "the page changed during snapshot");
  return snapshotLines(main.content);
}

interface Part {
  content: FrameNodes;
  /** The node of the element that holds this frame, in the parent's document; null for the main frame. */
  owner: number | null;
}

/** Null when the frame went away, or does not answer: the rest of the page is worth having without it. */
async function partOf(tab: Tab, frame: Frame, elements: Elements): Promise<Part | null> {
  const parent = frame.parentId === null ? undefined : tab.frames.get(frame.parentId);
  try {
    const [tree, owner] = await Promise.all([
      frame.session.send("Accessibility.getFullAXTree", { frameId: frame.id }),
      parent === undefined ? null : parent.session.send("DOM.getFrameOwner", { frameId: frame.id }),
    ]);
    const idOf = (backendNodeId: number) => elements.idOf(tab, frame, backendNodeId);
    const content = { nodes: tree.nodes, idOf, children: new Map() };
    return { content, owner: owner === null ? null : owner.backendNodeId };
  } catch (error) {
    if (parent !== undefined && failureOf(error) !== "browser-gone") return null;
    throw error;
  }
}
