/** Functions that run inside a page, as in in-page.ts: dragging. */
import { common, living } from "./in-page.ts";

/** this: the dragged element. Watches for the page's dragstart until `dragBegun` asks. */
export const watchDrag = `function () {
  const place = () => [this.isConnected, this.parentNode, this.offsetLeft, this.offsetTop];
  const before = place();
  // Some pages move it by themselves when the drag ends, whatever took the drop.
  const state = { event: null, moved: () => place().some((one, at) => one !== before[at]) };
  globalThis.troupeDrag = state;
  addEventListener("dragstart", (event) => { state.event = event; }, { capture: true, once: true });
}`;

/** Whether the page has begun a native drag and not cancelled it. */
export const dragBegun = `function () {
  const { event } = globalThis.troupeDrag || {};
  return Boolean(event) && !event.defaultPrevented;
}`;

/** Whether the dragged element is elsewhere now. */
export const hasMoved = "function () { return globalThis.troupeDrag.moved(); }";

/** this: the target. Watches for drag events in its document until `droppedHere` asks. */
export const watchDrop = `function () {
  globalThis.troupeDrop?.end();
  const names = ["dragover", "drop"];
  const state = { dragover: null, drop: null, end: () => { for (const name of names) removeEventListener(name, feel, true); } };
  const feel = (event) => {
    if (event.isTrusted) state[event.type] = event;
  };
  for (const name of names) addEventListener(name, feel, true);
  globalThis.troupeDrop = state;
}`;

/** Whether the page would take a drop here. A field takes one without saying so. */
export const wouldDrop = "function () { return Boolean(globalThis.troupeDrop?.dragover?.defaultPrevented); }";

/** Whether the page has taken the drop. */
export const droppedHere = `function () {
  const { dragover, drop, end } = globalThis.troupeDrop || {};
  if (end) end();
  return !end || Boolean(drop) || Boolean(dragover?.defaultPrevented);
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
