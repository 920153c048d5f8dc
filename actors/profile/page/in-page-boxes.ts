/** Functions that run inside a page, as in in-page.ts: where an element is drawn. */
import { common, placed, resting } from "./in-page.ts";

/** The part of a box that a frame shows; all of it in the main frame, which can be drawn as a whole. */
const shown = `
  const shown = ({ x, y, width, height }) => {
    if (parent === window) return { x, y, width, height };
    const left = Math.max(x, 0), right = Math.min(x + width, innerWidth);
    const top = Math.max(y, 0), bottom = Math.min(y + height, innerHeight);
    return right > left && bottom > top ? { x: left, y: top, width: right - left, height: bottom - top } : null;
  };
`;

/** this: the element. Scrolls it into view, waits until it rests, and returns its box `{x, y, width, height}` in the viewport, or `{error, …}`. */
export const restingBox = `async function () {
  ${common}
  const el = this;
  if (!el.isConnected) return { error: "gone" };
  if (!(el instanceof Element)) return { error: "not-element" };
  ${resting}
  ${shown}
  const hidden = () => ({ error: "hidden", what: describe(el), reason: hiddenBecause() });
  if (hiddenBecause()) return hidden();
  el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const rested = await rest();
  if (hiddenBecause()) return hidden();
  if (!rested) return { error: "moving", what: describe(el) };
  return shown(el.getBoundingClientRect()) || { error: "outside", what: describe(el) };
}`;

/** this: a frame element; x, y, width, height: a box in the inner viewport. Returns what this viewport shows of it, or `{error, …}`. */
export const boxThroughFrame = `function ({ x, y, width, height }) {
  ${common}
  ${shown}
  ${placed}
  const outer = { x: outerX(x), y: outerY(y), width: width * scaleX, height: height * scaleY };
  return shown(outer) || { error: "outside", what: describe(this) };
}`;
