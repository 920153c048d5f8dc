/** Mouse input: clicks on elements, and the wheel. */
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

const reachMs = 3_000;
const tryMs = 50;

/** Clicks a visible point of the element. Throws `conflict` when it is hidden, disabled, covered or gone, or the mouse misses it. */
export async function click(element: Element, nodeId: number): Promise<void> {
  const { tab } = element;
  const inFrame = accepted(nodeId, await callOn<Point | Refusal>(element, clickPoint));
  const inTab = await pointInTab(element, nodeId, inFrame);
  const oneRenderer = tab.frames.all().every((frame) => frame.session === tab.session);
  if (!oneRenderer) await reach(element, nodeId, inFrame, inTab);
  await press(tab, inTab);
}

/** Scrolls by `amount` pixels with the wheel, in a minimized window by script, and waits until the page rests. */
export async function scroll(
  tab: Tab,
  direction: "up" | "down" | "left" | "right",
  amount: number,
): Promise<void> {
  const { cssVisualViewport } = await tab.session.send("Page.getLayoutMetrics", {});
  const frame = tab.frames.main;
  if (frame === undefined) throw new Fault("conflict", "the page has not loaded yet; try again");
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

/** Converts a point of a frame to the tab's viewport, and checks in each parent that the mouse reaches the frame. */
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
