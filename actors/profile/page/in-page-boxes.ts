/** Functions that run inside a page, as in in-page.ts: where an element is drawn. */
import { common, living } from "./in-page.ts";
import { drawn, placed, resting } from "./in-page-places.ts";

/** The part of a box that a frame shows; all of it in the main frame, which can be drawn as a whole. */
const shown = `
  const shown = ({ x, y, width, height }) => {
    if (parent === window) return { x, y, width, height };
    const left = Math.max(x, 0), right = Math.min(x + width, innerWidth);
    const top = Math.max(y, 0), bottom = Math.min(y + height, innerHeight);
    return right > left && bottom > top ? { x: left, y: top, width: right - left, height: bottom - top } : null;
  };
`;

/** The part of the element's box that the boxes around it do not clip. */
const unclipped = `
  const unclipped = () => {
    let { left, top, right, bottom } = whole(el);
    let position = getComputedStyle(el).position;
    for (let box = above(el); box && box !== document.body && box !== document.documentElement; box = above(box)) {
      const style = getComputedStyle(box);
      const contains = style.transform !== "none" || position !== "fixed" && (position !== "absolute" || style.position !== "static");
      if (!contains || style.display === "contents") continue;
      position = style.position;
      const rect = box.getBoundingClientRect();
      const scaleX = box.offsetWidth ? rect.width / box.offsetWidth : 1;
      const scaleY = box.offsetHeight ? rect.height / box.offsetHeight : 1;
      if (style.overflowX !== "visible") {
        left = Math.max(left, rect.left + box.clientLeft * scaleX);
        right = Math.min(right, rect.left + (box.clientLeft + box.clientWidth) * scaleX);
      }
      if (style.overflowY !== "visible") {
        top = Math.max(top, rect.top + box.clientTop * scaleY);
        bottom = Math.min(bottom, rect.top + (box.clientTop + box.clientHeight) * scaleY);
      }
    }
    return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
  };
`;

/** this: the element. Scrolls it into view, waits until it rests, and returns its box `{x, y, width, height}` in the viewport, or `{error, …}`. */
export const restingBox = `async function () {
  ${common}
  ${living}
  const el = this;
  const goals = [el];
  ${placed}
  ${drawn}
  ${resting}
  ${shown}
  ${unclipped}
  const hidden = () => ({ error: "hidden", what: describe(el), reason: hiddenBecause() });
  if (hiddenBecause()) return hidden();
  el.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  await rest();
  if (hiddenBecause()) return hidden();
  const seen = unclipped();
  return (seen.width && seen.height && shown(seen)) || { error: "outside", what: describe(el) };
}`;

/** this: a frame element; x, y, width, height: a box in the inner viewport. Returns what this viewport shows of it, or `{error, …}`. */
export const boxThroughFrame = `function ({ x, y, width, height }) {
  ${common}
  ${shown}
  ${placed}
  const outer = around(corners(x, y, x + width, y + height).map((corner) => contentAt(this, ...corner)));
  return shown(outer) || { error: "outside", what: describe(this) };
}`;
