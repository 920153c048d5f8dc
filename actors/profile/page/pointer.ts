/** Real mouse input: click on an element where it can be hit, and the wheel. */
import { Fault } from "../../../protocol/faults.ts";
import type { Params } from "../cdp/session.ts";
import { within } from "../within.ts";
import { callOn, type Element, release } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { clickPoint, mouseComes, scrollRest, scrollUnseen, throughFrame, watchScroll } from "./in-page.ts";
import type { InputEvent } from "./input.ts";
import type { Tab } from "./tabs.ts";

interface Point {
  x: number;
  y: number;
}

/** How long the mouse may take to reach an element that lies where it was moved to, and how long one try may. */
const reachMs = 3_000;
const tryMs = 50;

/** Clicks where the element can be hit. Throws `conflict` when it is hidden, disabled, covered, gone, or the mouse does not reach it. */
export async function click(element: Element, nodeId: number): Promise<void> {
  const { tab } = element;
  const inFrame = accepted(nodeId, await callOn<Point | Refusal>(element, clickPoint));
  const inTab = await pointInTab(element, nodeId, inFrame);
  const oneRenderer = tab.frames.all().every((frame) => frame.session === tab.session);
  if (!oneRenderer) await reach(element, nodeId, inFrame, inTab);
  await press(tab, inTab);
}

/**
 * Pixels to scroll, by the wheel over the middle of the page. Answers when the scrolling has come to rest. A window that is minimized
 * takes no wheel before it draws again: there the page is scrolled by script.
 */
export async function scroll(
  tab: Tab,
  direction: "up" | "down" | "left" | "right",
  amount: number,
): Promise<void> {
  const { cssVisualViewport } = await tab.session.send("Page.getLayoutMetrics", {});
  const frame = tab.frames.main;
  if (frame === undefined) throw new Fault("conflict", "the page is not there yet");
  const executionContextId = await tab.frames.world(frame);
  const watch = { functionDeclaration: watchScroll, executionContextId, returnByValue: true };
  const drawn = (await tab.session.send("Runtime.callFunctionOn", watch)).result.value === true;
  const x = Math.floor(cssVisualViewport.clientWidth / 2);
  const y = Math.floor(cssVisualViewport.clientHeight / 2);
  const by = direction === "up" || direction === "left" ? -amount : amount;
  const vertical = direction === "up" || direction === "down";
  const [deltaX, deltaY] = vertical ? [0, by] : [by, 0];
  if (!drawn) {
    const given = [x, y, deltaX, deltaY].map((value) => ({ value }));
    const unseen = { functionDeclaration: scrollUnseen, executionContextId, arguments: given };
    await tab.session.send("Runtime.callFunctionOn", unseen);
    return;
  }
  const params = { type: "mouseWheel" as const, x, y, deltaX, deltaY };
  await tab.input.give([{ method: "Input.dispatchMouseEvent", params }]);
  const rest = { functionDeclaration: scrollRest, executionContextId, awaitPromise: true };
  await tab.session.send("Runtime.callFunctionOn", rest);
}

function accepted(nodeId: number, answer: Point | Refusal): Point {
  if ("error" in answer) throw refusalFault(nodeId, answer);
  return answer;
}

/** A point of the element's frame in the tab's viewport, where the mouse reaches that frame: checked in each frame above it. */
async function pointInTab({ tab, frame: inner }: Element, nodeId: number, inFrame: Point): Promise<Point> {
  let point = inFrame;
  let frame = inner;
  while (frame.parentId !== null) {
    const parent = tab.frames.get(frame.parentId);
    if (parent === undefined) throw refusalFault(nodeId, { error: "gone" });
    const owner = await parent.session.send("DOM.getFrameOwner", { frameId: frame.id });
    const executionContextId = await tab.frames.world(parent);
    const { backendNodeId } = owner;
    const { object } = await parent.session.send("DOM.resolveNode", { backendNodeId, executionContextId });
    if (object.objectId === undefined) throw refusalFault(nodeId, { error: "gone" });
    const holder: Element = { tab, frame: parent, objectId: object.objectId };
    const through = await callOn<Point | Refusal>(holder, throughFrame, [
      { value: point.x },
      { value: point.y },
    ]);
    release(holder);
    point = accepted(nodeId, through);
    frame = parent;
  }
  return point;
}

/**
 * Moves the mouse there until the element has felt it. Which renderer gets an input is decided by what was drawn last, so a frame
 * that has just loaded or moved is missed: its parent would be pressed instead.
 */
async function reach(element: Element, nodeId: number, inFrame: Point, { x, y }: Point): Promise<void> {
  const given = [inFrame.x, inFrame.y, reachMs].map((value) => ({ value }));
  const came = callOn<boolean>(element, mouseComes, given);
  for (;;) {
    const moved = element.tab.session.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    moved.catch(() => {}); // The tab is gone; the element's own answer says so.
    const answer = await within(came, tryMs);
    if (answer?.value === true) return;
    if (answer?.value === false) throw refusalFault(nodeId, { error: "unreached" });
  }
}

/** Move, press, release, sent together; each is answered when the page has handled it. */
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
