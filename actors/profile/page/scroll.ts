/** The verb scroll: the wheel over the page or an element, or an element brought into view. */
import { Fault } from "../../../protocol/faults.ts";
import type { ScrollBody, ScrollReply } from "../../../protocol/verbs/scroll.ts";
import { aim, type Point } from "./aim.ts";
import { afterInput, callOn, type Element } from "./elements.ts";
import type { Refusal } from "./faults.ts";
import { throughFrame } from "./in-page-aim.ts";
import { restingBox } from "./in-page-boxes.ts";
import { scrollAtOnce, scrollPlace, scrollRest, watchScroll } from "./in-page-scroll.ts";
import type { Tab } from "./tab.ts";
import { accepted, throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

type Scrolled = Pick<ScrollReply, "x" | "y" | "max_x" | "max_y">;
/** Pixels to the right and down. */
type Way = readonly [left: number, top: number];

export const work: Work<"scroll"> = async ({ onTab, onElement }, input) => {
  const { node_id: nodeId, into_view: intoView = false } = input;
  if (!intoView) {
    const way = wayOf(input);
    if (nodeId === undefined) return onTab((tab) => scrollPage(tab, way));
    return onElement(nodeId, (element) => scrollElement(element, nodeId, way)).then(complete);
  }
  if (nodeId === undefined) throw new Fault("invalid", "node_id is required with into_view");
  for (const key of ["amount", "direction"] as const)
    if (input[key] !== undefined) throw new Fault("invalid", `${key} must be left out with into_view`);
  return onElement(nodeId, async (element) => {
    accepted(nodeId, await callOn<object | Refusal>(element, restingBox));
    return callOn<Scrolled>(element, scrollPlace);
  }).then(complete);
};

function wayOf({ direction, amount }: ScrollBody): Way {
  if (amount === undefined) throw new Fault("invalid", "amount is required");
  if (direction === undefined) throw new Fault("invalid", "direction is required");
  const by = direction === "up" || direction === "left" ? -amount : amount;
  return direction === "up" || direction === "down" ? [0, by] : [by, 0];
}

/** Of a document that the scrolling left. */
const nowhere: Scrolled = { x: 0, y: 0, max_x: 0, max_y: 0 };
const complete = <Reply extends object>(reply: Reply) => ({ ...nowhere, ...reply });

async function scrollPage(tab: Tab, way: Way): Promise<Scrolled> {
  const { cssVisualViewport } = await tab.session.send("Page.getLayoutMetrics", {});
  const frame = tab.frames.main;
  if (frame === undefined) throw new Fault("conflict", "the page has not loaded yet; try again");
  const executionContextId = await tab.frames.world(frame);
  const point = {
    x: Math.floor(cssVisualViewport.clientWidth / 2),
    y: Math.floor(cssVisualViewport.clientHeight / 2),
  };
  const call = async <Value>(functionDeclaration: string, ...args: number[]): Promise<Value> => {
    const params = { functionDeclaration, arguments: args.map((value) => ({ value })), executionContextId };
    const asked = { ...params, returnByValue: true, awaitPromise: true };
    return (await tab.session.send("Runtime.callFunctionOn", asked)).result.value as Value; // in-page-scroll.ts documents the types.
  };
  if (await call<boolean>(watchScroll)) {
    await wheel(tab, point, way);
    await afterInput(() => call(scrollRest));
  } else await call(scrollAtOnce, point.x, point.y, ...way);
  return (await afterInput(() => call<Scrolled>(scrollPlace, point.x, point.y))) ?? nowhere;
}

/** Boxes inside the element may take the wheel, or the page may ignore it: then the element is scrolled at once. */
async function scrollElement(element: Element, nodeId: number, way: Way): Promise<Scrolled> {
  const spot = await aim(element, nodeId, 0);
  const point = await throughFrames(element, nodeId, spot, throughFrame);
  const before = await callOn<Scrolled>(element, scrollPlace);
  const drawn = await callOn<boolean>(element, watchScroll);
  if (drawn) {
    await wheel(element.tab, point, way);
    await afterInput(() => callOn(element, scrollRest));
  }
  const after = await afterInput(() => callOn<Scrolled>(element, scrollPlace));
  if (after === null) return nowhere;
  if (after.x !== before.x || after.y !== before.y) return after;
  await callOn(
    element,
    scrollAtOnce,
    [0, 0, ...way].map((value) => ({ value })),
  );
  return callOn<Scrolled>(element, scrollPlace);
}

async function wheel(tab: Tab, { x, y }: Point, [deltaX, deltaY]: Way): Promise<void> {
  const params = { type: "mouseWheel" as const, x, y, deltaX, deltaY };
  await tab.input.give([{ method: "Input.dispatchMouseEvent", params }]);
}
