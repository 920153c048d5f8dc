/** Real mouse input: click on an element where it can be hit, and the wheel. */
import { Fault } from "../../../protocol/faults.ts";
import type { Params } from "../cdp/session.ts";
import { callOn, type Element, release } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { clickPoint, scrollRest, throughFrame, watchScroll } from "./in-page.ts";
import type { Tab } from "./tabs.ts";

interface Point {
  x: number;
  y: number;
}

/** Clicks where the element can be hit. Throws `conflict` when it is hidden, disabled, covered or gone. */
export async function click(element: Element, nodeId: number): Promise<void> {
  const at = await pointInTab(element, nodeId);
  await press(element.tab, at);
}

/** Pixels to scroll, by the wheel over the middle of the page. Answers when the scrolling has come to rest. */
export async function scroll(
  tab: Tab,
  direction: "up" | "down" | "left" | "right",
  amount: number,
): Promise<void> {
  const { cssVisualViewport } = await tab.session.send("Page.getLayoutMetrics", {});
  const frame = tab.frames.main;
  if (frame === undefined) throw new Fault("conflict", "the page is not there yet");
  const executionContextId = await tab.frames.world(frame);
  await tab.session.send("Runtime.callFunctionOn", { functionDeclaration: watchScroll, executionContextId });
  const sign = direction === "up" || direction === "left" ? -1 : 1;
  const vertical = direction === "up" || direction === "down";
  await tab.session.send("Input.dispatchMouseEvent", {
    type: "mouseWheel",
    x: Math.floor(cssVisualViewport.clientWidth / 2),
    y: Math.floor(cssVisualViewport.clientHeight / 2),
    deltaX: vertical ? 0 : sign * amount,
    deltaY: vertical ? sign * amount : 0,
  });
  const rest = { functionDeclaration: scrollRest, executionContextId, awaitPromise: true };
  await tab.session.send("Runtime.callFunctionOn", rest);
}

/** A point of the element that the mouse reaches, in the tab's viewport: checked in its own frame and in each above it. */
async function pointInTab(element: Element, nodeId: number): Promise<Point> {
  const { tab } = element;
  let point = await callOn<Point | Refusal>(element, clickPoint);
  let frame = element.frame;
  while (!("error" in point) && frame.parentId !== null) {
    const parent = tab.frames.get(frame.parentId);
    if (parent === undefined) throw refusalFault(nodeId, { error: "gone" });
    const owner = await parent.session.send("DOM.getFrameOwner", { frameId: frame.id });
    const executionContextId = await tab.frames.world(parent);
    const { backendNodeId } = owner;
    const { object } = await parent.session.send("DOM.resolveNode", { backendNodeId, executionContextId });
    if (object.objectId === undefined) throw refusalFault(nodeId, { error: "gone" });
    const holder: Element = { tab, frame: parent, objectId: object.objectId };
    point = await callOn<Point | Refusal>(holder, throughFrame, [{ value: point.x }, { value: point.y }]);
    release(holder);
    frame = parent;
  }
  if ("error" in point) throw refusalFault(nodeId, point);
  return point;
}

/** Move, press, release, sent together; each is answered when the page has handled it. */
async function press(tab: Tab, { x, y }: Point): Promise<void> {
  const event = (params: Omit<Params<"Input.dispatchMouseEvent">, "x" | "y">) =>
    tab.session.send("Input.dispatchMouseEvent", { x, y, ...params });
  await Promise.all([
    event({ type: "mouseMoved", button: "none" }),
    event({ type: "mousePressed", button: "left", buttons: 1, clickCount: 1 }),
    event({ type: "mouseReleased", button: "left", buttons: 0, clickCount: 1 }),
  ]);
}
