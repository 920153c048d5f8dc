/** The verb click: real mouse events on a visible point of an element. */
import type { ClickBody } from "../../../protocol/verbs/click.ts";
import type { Params } from "../cdp/session.ts";
import { within } from "../within.ts";
import { aim, type Point, type Spot } from "./aim.ts";
import { afterInput, callOn, type Element } from "./elements.ts";
import { refusalFault } from "./faults.ts";
import { throughFrame } from "./in-page-aim.ts";
import { clickFelt, mouseComes, pressEnded } from "./in-page-press.ts";
import type { InputEvent } from "./input.ts";
import { holding, maskOf } from "./keyboard.ts";
import type { Tab } from "./tab.ts";
import { throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

/** Which element received the press. */
interface Met {
  hit: boolean;
  unfelt?: true;
  /** It was no longer under the mouse when that was released, and got no click. */
  slipped?: true;
  /** Number of earlier presses that hit. */
  after?: number;
  what?: string;
  by?: string;
}

const reachMs = 3_000;
const tryMs = 50;
const feltMs = 100;
const triesMax = 3;
/** A moving element may have left the point when the press comes. */
const movingTriesMax = 20;

/** How it is clicked; by default once, with the left button. */
export type Manner = Omit<ClickBody, "node_id">;

export const work: Work<"click"> = ({ onElement }, { node_id: nodeId, ...manner }) =>
  onElement(nodeId, (element) => click(element, nodeId, manner));

/** Clicks a visible point of the element. Throws `conflict` when it is hidden, disabled, covered or gone, or the mouse misses it. */
export async function click(
  element: Element,
  nodeId: number,
  manner: Manner = {},
): Promise<{ moving?: true }> {
  for (let tried = 1; ; tried++) {
    const spot = await aim(element, nodeId, manner.count ?? 1, manner.position);
    const { hit, unfelt, after, slipped, ...met } = await pressed(element, nodeId, spot, manner);
    if (hit && slipped !== true) return spot.moving ? { moving: true } : {};
    if (unfelt === true) throw refusalFault(nodeId, { error: "unreached" });
    if (after !== undefined)
      throw refusalFault(nodeId, { error: "changed", ...met, reason: after === 1 ? "once" : "twice" });
    const last = spot.asks === true || tried >= (spot.moving ? movingTriesMax : triesMax);
    if (last || (slipped === true && !spot.moving))
      throw refusalFault(nodeId, { error: slipped === true ? "slipped" : "covered", ...met });
  }
}

/** Presses the spot. The page stops a press that would meet another element. */
async function pressed(element: Element, nodeId: number, spot: Spot, manner: Manner): Promise<Met> {
  const { tab, frame } = element;
  try {
    const inTab = await throughFrames(element, nodeId, spot, throughFrame);
    const oneRenderer = tab.frames.all().every((other) => other.session === tab.session);
    const direct = oneRenderer && frame.parentId === null;
    const reached = !direct && !spot.blind;
    if (reached) await reach(element, nodeId, inTab);
    if (spot.blind) {
      await press(tab, inTab, manner);
      return { hit: true };
    }
    const asks = spot.asks === true || (manner.count ?? 1) > 1;
    const felt = callOn<Met>(element, clickFelt);
    felt.catch(() => {}); // Awaited below, unless the input fails.
    await press(tab, inTab, manner, reached);
    const answered = await afterInput(async () => {
      const met = asks ? null : await within(felt, feltMs);
      return met?.value ?? (await callOn<Met>(element, pressEnded));
    });
    return answered ?? { hit: true };
  } catch (error) {
    callOn(element, pressEnded).catch(() => {}); // The document may have gone.
    throw error;
  }
}

/** Moves the mouse until the element receives it. The browser routes input by the last drawn frame, so a new or moved element may miss a click. */
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

const masks = { left: 1, right: 2, middle: 4 } as const;

/** Clicks at a point of the tab, after moving the mouse there unless it is there. */
export async function press(
  tab: Tab,
  { x, y }: Point,
  { button = "left", count = 1, modifiers = [] }: Manner = {},
  isThere = false,
): Promise<void> {
  const held = [...new Set(modifiers)];
  const common = { x, y, modifiers: maskOf(held) };
  const event = (params: Omit<Params<"Input.dispatchMouseEvent">, "x" | "y">): InputEvent => ({
    method: "Input.dispatchMouseEvent",
    params: { ...common, ...params },
  });
  const moved = isThere ? [] : [event({ type: "mouseMoved", button: "none" })];
  const clicks = Array.from({ length: count }, (_, at) => [
    event({ type: "mousePressed", button, buttons: masks[button], clickCount: at + 1 }),
    event({ type: "mouseReleased", button, buttons: 0, clickCount: at + 1 }),
  ]);
  await tab.input.give(holding(held, [...moved, ...clicks.flat()]));
}
