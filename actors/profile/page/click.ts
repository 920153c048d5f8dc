/** The verb click: real mouse events on a visible point of an element. */
import type { Params } from "../cdp/session.ts";
import { within } from "../within.ts";
import { afterInput, callOn, type Element } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { mouseComes, mousePoint, pressEnded, pressFelt, throughFrame } from "./in-page-click.ts";
import type { InputEvent } from "./input.ts";
import type { Tab } from "./tabs.ts";
import { accepted, throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

export interface Point {
  x: number;
  y: number;
}

/** Of `mousePoint`, which describes it. */
export interface Spot extends Point {
  blind: boolean;
  asks?: boolean;
  moving: boolean;
}

/** What met the press. */
interface Met {
  hit: boolean;
  unfelt?: true;
  what?: string;
  by?: string;
}

const reachMs = 3_000;
const tryMs = 50;
const feltMs = 100;
const triesMax = 3;
/** A moving element may have left the point when the press comes. */
const movingTriesMax = 20;

export const work: Work<"click"> = ({ onElement }, { node_id: nodeId }) =>
  onElement(nodeId, (element) => click(element, nodeId));

/** Clicks a visible point of the element. Throws `conflict` when it is hidden, disabled, covered or gone, or the mouse misses it. */
export async function click(element: Element, nodeId: number): Promise<{ moving?: true }> {
  for (let tried = 1; ; tried++) {
    const spot = accepted(nodeId, await callOn<Spot | Refusal>(element, mousePoint, [{ value: true }]));
    const { hit, unfelt, ...met } = await pressed(element, nodeId, spot);
    if (hit) return spot.moving ? { moving: true } : {};
    if (unfelt === true) throw refusalFault(nodeId, { error: "unreached" });
    const last = spot.asks === true || tried >= (spot.moving ? movingTriesMax : triesMax);
    if (last) throw refusalFault(nodeId, { error: "covered", ...met });
  }
}

/** Presses the spot. The page stops a press that would meet another element. */
async function pressed(element: Element, nodeId: number, spot: Spot): Promise<Met> {
  const { tab, frame } = element;
  try {
    const inTab = await throughFrames(element, nodeId, spot, throughFrame);
    const oneRenderer = tab.frames.all().every((other) => other.session === tab.session);
    const direct = oneRenderer && frame.parentId === null;
    const reached = !direct && !spot.blind;
    if (reached) await reach(element, nodeId, inTab);
    if (spot.blind) {
      await press(tab, inTab);
      return { hit: true };
    }
    const felt = callOn<Met>(element, pressFelt);
    felt.catch(() => {}); // Awaited below, unless the input fails.
    await press(tab, inTab, reached);
    const answered = await afterInput(async () => {
      const met = spot.asks === true ? null : await within(felt, feltMs);
      return met?.value ?? (await callOn<Met>(element, pressEnded));
    });
    return answered ?? { hit: true };
  } catch (error) {
    callOn(element, pressEnded).catch(() => {}); // The document may have gone.
    throw error;
  }
}

/** Moves the mouse until the element receives it. Input goes by the last drawn frame, so a new, moved or turned frame may miss a click. */
export async function reach(element: Element, nodeId: number, { x, y }: Point): Promise<void> {
  const came = callOn<boolean>(element, mouseComes, [{ value: reachMs }]);
  for (;;) {
    const moved = element.tab.session.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    moved.catch(() => {}); // The tab has closed, which `came` reports.
    const answer = await within(came, tryMs);
    if (answer?.value === true) return;
    if (answer?.value === false) throw refusalFault(nodeId, { error: "unreached" });
  }
}

/** Clicks at a point of the tab, after moving the mouse there unless it is there. */
export async function press(tab: Tab, { x, y }: Point, isThere = false): Promise<void> {
  const event = (params: Omit<Params<"Input.dispatchMouseEvent">, "x" | "y">): InputEvent => ({
    method: "Input.dispatchMouseEvent",
    params: { x, y, ...params },
  });
  const moved = isThere ? [] : [event({ type: "mouseMoved", button: "none" })];
  await tab.input.give([
    ...moved,
    event({ type: "mousePressed", button: "left", buttons: 1, clickCount: 1 }),
    event({ type: "mouseReleased", button: "left", buttons: 0, clickCount: 1 }),
  ]);
}
