/** The verb hover: real mouse movement to a visible point of an element. */
import type { HoverBody } from "../../../protocol/verbs/hover.ts";
import { aim } from "./aim.ts";
import { reach } from "./click.ts";
import type { Element } from "./elements.ts";
import { throughFrame } from "./in-page-aim.ts";
import { throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

export const work: Work<"hover"> = ({ onElement }, input) =>
  onElement(input.node_id, (element) => hover(element, input));

/** Throws `conflict` when the element is hidden, covered or gone, or the mouse misses it; `invalid` for a position outside its box. */
async function hover(element: Element, { node_id: nodeId, position }: HoverBody): Promise<{ moving?: true }> {
  const spot = await aim(element, nodeId, 0, position);
  const { x, y } = await throughFrames(element, nodeId, spot, throughFrame);
  if (!spot.blind) await reach(element, nodeId, { x, y });
  const params = { type: "mouseMoved" as const, button: "none" as const, x, y };
  await element.tab.input.give([{ method: "Input.dispatchMouseEvent", params }]);
  return spot.moving ? { moving: true } : {};
}
