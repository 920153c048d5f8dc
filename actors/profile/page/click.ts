/** The verb click: real mouse events on a visible point of an element. */
import type { Params } from "../cdp/session.ts";
import { within } from "../within.ts";
import { callOn, type Element } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { clickPoint, mouseComes, throughFrame } from "./in-page.ts";
import type { InputEvent } from "./input.ts";
import type { Tab } from "./tabs.ts";
import { accepted, throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

interface Point {
  x: number;
  y: number;
}

const reachMs = 3_000;
const tryMs = 50;

export const work: Work<"click"> = ({ onElement }, { node_id: nodeId }) =>
  onElement(nodeId, (element) => click(element, nodeId));

/** Clicks a visible point of the element. Throws `conflict` when it is hidden, disabled, covered or gone, or the mouse misses it. */
async function click(element: Element, nodeId: number): Promise<void> {
  const { tab } = element;
  const inFrame = accepted(nodeId, await callOn<Point | Refusal>(element, clickPoint));
  const inTab = await throughFrames(element, nodeId, inFrame, throughFrame);
  const oneRenderer = tab.frames.all().every((frame) => frame.session === tab.session);
  if (!oneRenderer) await reach(element, nodeId, inFrame, inTab);
  await press(tab, inTab);
}

/** Moves the mouse until the element receives it. Input goes by the last drawn frame, so a new or moved frame may miss a click. */
async function reach(element: Element, nodeId: number, inFrame: Point, { x, y }: Point): Promise<void> {
  const given = [inFrame.x, inFrame.y, reachMs].map((value) => ({ value }));
  const came = callOn<boolean>(element, mouseComes, given);
  for (;;) {
    const moved = element.tab.session.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    moved.catch(() => {}); // The tab has closed, which `came` reports.
    const answer = await within(came, tryMs);
    if (answer?.value === true) return;
    if (answer?.value === false) throw refusalFault(nodeId, { error: "unreached" });
  }
}

async function press(tab: Tab, { x, y }: Point): Promise<void> {
  const event = (params: Omit<Params<"Input.dispatchMouseEvent">, "x" | "y">): InputEvent => ({
    method: "Input.dispatchMouseEvent",
    params: { x, y, ...params },
  });
  await tab.input.give([
    event({ type: "mouseMoved", button: "none" }),
    event({ type: "mousePressed", button: "left", buttons: 1, clickCount: 1 }),
    event({ type: "mouseReleased", button: "left", buttons: 0, clickCount: 1 }),
  ]);
}
