/** Functions that run inside a page, as in in-page.ts: dragging. */
import { common, living } from "./in-page.ts";

/** this: the dragged element. Watches for the page's dragstart until `dragBegun` asks. */
export const watchDrag = `function () {
  const state = { event: null };
  globalThis.troupeDrag = state;
  addEventListener("dragstart", (event) => { state.event = event; }, { capture: true, once: true });
}`;

/** Whether the page has begun a native drag and not cancelled it. */
export const dragBegun = `function () {
  const { event } = globalThis.troupeDrag || {};
  return Boolean(event) && !event.defaultPrevented;
}`;

/** this: the target. Brings the point into view and returns it, once a frame is drawn. It may be covered by what is dragged. */
export const dropPoint = `async function (position) {
  ${common}
  ${living}
  const point = () => {
    const box = this.getBoundingClientRect();
    const { x, y } = position || { x: box.width / 2, y: box.height / 2 };
    return { x: box.x + x, y: box.y + y };
  };
  const { x, y } = point();
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight)
    this.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  await frame();
  return point();
}`;

/** Resolves when the page has drawn a frame. */
export const nextFrame = `async function () {
  ${common}
  await frame();
}`;
