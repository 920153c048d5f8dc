/** The verb hover: real mouse movement to a visible point of an element. */
import { Fault } from "../../../protocol/faults.ts";
import type { HoverBody } from "../../../protocol/verbs/hover.ts";
import { reach, type Spot } from "./click.ts";
import { callOn, type Element } from "./elements.ts";
import type { Refusal } from "./faults.ts";
import { mousePoint, throughFrame } from "./in-page-click.ts";
import { accepted, throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

/** The box's size: the position lies outside it. */
interface Beside {
  beside: { width: number; height: number };
}

export const work: Work<"hover"> = ({ onElement }, input) =>
  onElement(input.node_id, (element) => hover(element, input));

/** Throws `conflict` when the element is hidden, covered or gone, or the mouse misses it; `invalid` for a position outside its box. */
async function hover(element: Element, { node_id: nodeId, position }: HoverBody): Promise<{ moving?: true }> {
  const given = [{ value: false }, { value: position ?? null }];
  const spot = accepted(nodeId, await callOn<Spot | Beside | Refusal>(element, mousePoint, given));
  if ("beside" in spot) {
    const { width, height } = spot.beside;
    const box = `${Math.round(width)} x ${Math.round(height)} pixels`;
    throw new Fault(
      "invalid",
      `position must lie in the box of element ${nodeId}, ${box}, got x ${position?.x}, y ${position?.y}`,
    );
  }
  const { x, y } = await throughFrames(element, nodeId, spot, throughFrame);
  if (!spot.blind) await reach(element, nodeId, { x, y });
  const params = { type: "mouseMoved" as const, button: "none" as const, x, y };
  await element.tab.input.give([{ method: "Input.dispatchMouseEvent", params }]);
  return spot.moving ? { moving: true } : {};
}
