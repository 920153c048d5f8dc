/** Where the elements of a snapshot are drawn, from the browser's layout: the page cannot see that it is read. */
import type { CdpSession, Protocol } from "../cdp/session.ts";
import type { Elements } from "./elements.ts";
import type { Line } from "./snapshot-text.ts";
import type { Tab } from "./tab.ts";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
type FrameBoxes = ReadonlyMap<number, Box>;

/** Adds `[box=x,y,width,height]` to the lines of drawn elements, in CSS pixels from the top left of what the tab shows. */
export async function addBoxes(tab: Tab, elements: Elements, lines: readonly Line[]): Promise<void> {
  const frames = tab.frames.all();
  const sessions = [...new Set(frames.map(({ session }) => session))];
  const drawn = new Map((await Promise.all(sessions.map(boxesOf))).flat());
  const origins = new Map<string, { x: number; y: number }>();
  for (const { id, parentId } of frames) {
    const around = parentId === null ? { x: 0, y: 0 } : origins.get(parentId);
    const parent = parentId === null ? undefined : tab.frames.get(parentId);
    const inner = parent === undefined ? { x: 0, y: 0 } : await contentOf(parent.session, id);
    if (around !== undefined && inner !== null)
      origins.set(id, { x: around.x + inner.x, y: around.y + inner.y });
  }
  const add = (line: Line): void => {
    const place = line.id === null ? null : elements.placeOf(line.id);
    const box = place === null ? undefined : drawn.get(place.frameId)?.get(place.backendNodeId);
    const origin = place === null ? undefined : origins.get(place.frameId);
    if (box !== undefined && origin !== undefined) {
      const numbers = [box.x + origin.x, box.y + origin.y, box.width, box.height].map(Math.round);
      line.head = line.head.replace(`[id=${line.id}]`, `[id=${line.id}] [box=${numbers.join(",")}]`);
    }
    for (const below of line.below) add(below);
  };
  for (const line of lines) add(line);
}

/** The boxes of one renderer's documents, by frame and backend node, from the top left of what the frame shows. */
async function boxesOf(session: CdpSession): Promise<[frameId: string, boxes: FrameBoxes][]> {
  const { documents, strings } = await session.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
  return documents.map((document) => [strings[document.frameId] ?? "", boxesIn(document)]);
}

function boxesIn(document: Protocol.DOMSnapshot.DocumentSnapshot): FrameBoxes {
  const { layout, nodes, scrollOffsetX = 0, scrollOffsetY = 0 } = document;
  const boxes = new Map<number, Box>();
  for (const [at, node] of layout.nodeIndex.entries()) {
    const id = nodes.backendNodeId?.[node];
    const [x = 0, y = 0, width = 0, height = 0] = layout.bounds[at] ?? [];
    if (id !== undefined && !boxes.has(id))
      boxes.set(id, { x: x - scrollOffsetX, y: y - scrollOffsetY, width, height });
  }
  return boxes;
}

/** The top left of a frame's content in the frame around it; null when it is not drawn. */
async function contentOf(session: CdpSession, frameId: string): Promise<{ x: number; y: number } | null> {
  try {
    const { backendNodeId } = await session.send("DOM.getFrameOwner", { frameId });
    const { model } = await session.send("DOM.getBoxModel", { backendNodeId });
    const [x = 0, y = 0] = model.content;
    return { x, y };
  } catch {
    return null; // It is hidden or has gone.
  }
}
