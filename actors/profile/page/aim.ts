/** Where the mouse hits an element: a painted point of it, or a position in its box. */
import { Fault } from "../../../protocol/faults.ts";
import type { BoxPosition } from "../../../protocol/verb.ts";
import { callOn, type Element } from "./elements.ts";
import type { Refusal } from "./faults.ts";
import { mousePoint } from "./in-page-aim.ts";
import { accepted } from "./through-frames.ts";

export interface Point {
  x: number;
  y: number;
}

/** See `mousePoint`. */
export interface Spot extends Point {
  blind: boolean;
  asks?: boolean;
  moving: boolean;
}

/** The box's size, when the position lies outside the box. */
interface Beside {
  beside: { width: number; height: number };
}

/**
 * Scrolls the element into view and finds the point, where `presses` presses will follow. Throws `conflict` when it is hidden, covered or
 * gone; `invalid` for a position outside its box.
 */
export async function aim(
  element: Element,
  nodeId: number,
  presses: number,
  position: BoxPosition | null = null,
): Promise<Spot> {
  const given = [{ value: presses }, { value: position }];
  const spot = accepted(nodeId, await callOn<Spot | Beside | Refusal>(element, mousePoint, given));
  if (!("beside" in spot)) return spot;
  const { width, height } = spot.beside;
  const box = `${Math.round(width)} x ${Math.round(height)} pixels`;
  throw new Fault(
    "invalid",
    `position must lie in the box of element ${nodeId}, ${box}, got x ${position?.x}, y ${position?.y}`,
  );
}
