/** Functions that run inside a page, as in in-page.ts: where the mouse hits an element. */
import { common, living } from "./in-page.ts";
import { drawn, placed, resting } from "./in-page-places.ts";
import { guarding } from "./in-page-press.ts";

/** `goals`: the element, then its labels. `accepts`: whether a hit counts for them; `foreign`: whether an inner control takes it. */
const accepting = `
  const known = rootsAround(el);
  const goals = [el, ...(el.labels || [])];
  // A hit on a browser's own part, such as the month of a date field, is reported as the field.
  const ownHost = (root) => !root.host.shadowRoot && !/-|^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/.test(root.host.localName);
  const accepts = (hit) => {
    for (let node = hit; node; node = above(node)) if (node === el || node.localName === "label" && node.control === el) return true;
    return known.some((root) => root.host === hit && ownHost(root));
  };
  const takers = "a[href],button,input,select,textarea,summary,iframe,frame,object,embed,[contenteditable],[tabindex],[role=button],[role=link],[role=checkbox],[role=switch],[role=tab],[role=menuitem],[role=option]";
  const isIn = (hit) => {
    for (let node = hit; node; node = above(node)) if (node === el) return true;
    return false;
  };
  const foreign = (hit) => {
    if (!el.matches(takers + ",label")) return isFrame(hit);
    for (let node = hit; node && node !== el; node = above(node)) {
      if (node.localName === "label" && node.control === el || known.some((root) => root.host === node)) return false;
      if (node.matches(takers)) return true;
    }
    return false;
  };
`;

/** Uses `accepting` and `drawn`. `aim`: a point that hits: `position`, or one of a grid over what is painted, the middle first. */
const aiming = `
  const fine = (n) => Array.from({ length: n }, (_, at) => (at + 0.5) / n);
  const middles = [0.5, 0.3, 0.7, 0.1, 0.9];
  const linesOf = (goal) => goal instanceof SVGGeometryElement ? [goal] : goal instanceof SVGElement ? [...goal.querySelectorAll("path,line,circle,ellipse,rect,polyline,polygon")].slice(0, 20) : [];
  const onStroke = function* (line) {
    const length = line.getTotalLength(), toScreen = line.getScreenCTM();
    if (!toScreen || !length) return;
    for (const part of fine(25)) yield line.getPointAtLength(length * part).matrixTransform(toScreen);
  };
  const inBoxes = function* (goal, parts) {
    for (const rect of pieces(goal).slice(0, 20)) {
      const left = Math.max(rect.left, 0), right = Math.min(rect.right, innerWidth);
      const top = Math.max(rect.top, 0), bottom = Math.min(rect.bottom, innerHeight);
      if (right - left < 1 && rect.width >= 1 || bottom - top < 1 && rect.height >= 1 || right < left || bottom < top) continue;
      for (const down of parts) for (const across of parts) yield { x: left + (right - left) * across, y: top + (bottom - top) * down };
    }
  };
  const points = function* (goal, parts) {
    yield* inBoxes(goal, parts);
    for (const line of linesOf(goal)) yield* onStroke(line);
  };
  const spot = () => {
    const { left, top } = whole(goal());
    return { x: left + position.x, y: top + position.y };
  };
  const candidates = function* (parts) {
    if (position) yield spot();
    else for (const one of goals) yield* points(one, parts);
  };
  const aim = (parts) => {
    let covering = null, other = null;
    for (const { x, y } of candidates(parts)) {
      const hit = deepAt(x, y, known);
      if (!hit) continue;
      if (!accepts(hit)) covering = covering || hit;
      else if (!foreign(hit)) return { x, y, blind: isFrame(hit) };
      else if (!other || isFrame(other.hit)) other = { x, y, hit };
    }
    if (!other) return { covering };
    const { x, y, hit } = other;
    // A label may have a little room beside its link.
    if (parts === middles && (el.localName === "label" || !isIn(hit))) return aim(fine(16));
    // All of a list is its options, and all of a label may be a link, which does not act for the label's control.
    return isIn(hit) ? { x, y, blind: isFrame(hit) } : { covering: hit };
  };
`;

/** Uses `aiming`. `byWrapper`: the point of a native control that the page hides in its own drawing of it, such as a slider's thumb. */
const standingIn = `
  const byWrapper = () => {
    const style = getComputedStyle(el), rect = el.getBoundingClientRect();
    const unseen = style.opacity === "0" || style.clip !== "auto" || style.clipPath !== "none" || style.pointerEvents === "none" || rect.width <= 2 || rect.height <= 2;
    if (!unseen || !el.matches("input,select,textarea,button,[role]")) return null;
    const x = rect.left + rect.width / 2, y = rect.top + rect.height / 2;
    const hit = deepAt(x, y, known);
    let wrapper = above(el);
    while (wrapper && hit && !wrapper.contains(hit)) wrapper = above(wrapper);
    if (!hit || !wrapper || wrapper === document.body || wrapper === document.documentElement) return null;
    const others = [...wrapper.querySelectorAll(takers)].filter((one) => one !== el);
    return others.length ? null : { x, y, wrapper };
  };
`;

/** Uses `aiming`. Scrolls the goal, or `position` in it, to the middle of the widest free part of its scroller, between bars that stay where they are. */
const betweenBars = `
  const scrollersOf = (node) => {
    const found = [];
    for (let box = above(node); box && box !== document.scrollingElement; box = above(box)) {
      const { overflowX, overflowY, position } = getComputedStyle(box);
      const scrolls = /auto|scroll|hidden/.test(overflowX + overflowY) && (box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth);
      if (scrolls && box !== document.body) found.push(box);
      if (position === "fixed") return found;
    }
    return document.scrollingElement ? [...found, document.scrollingElement] : found;
  };
  const isFree = (x, y, scroller) => {
    for (let node = deepAt(x, y, known); node; node = above(node)) {
      if (node === scroller) return true;
      if (/fixed|sticky/.test(getComputedStyle(node).position) && !goals.some((one) => node.contains(one))) return false;
    }
    return false;
  };
  const widestFree = (from, to, free) => {
    const step = Math.max(2, (to - from) / 120);
    let best = null, start = null;
    for (let at = from + step / 2; at < to + step; at += step) {
      if (at < to && free(at)) {
        start = start ?? at;
        continue;
      }
      if (start !== null && (best === null || at - start > best.size)) best = { size: at - start, middle: (start + at - step) / 2 };
      start = null;
    }
    return best && best.middle;
  };
  const toGap = () => {
    const rect = boxOf(), scrollers = scrollersOf(goal());
    const [scroller] = scrollers;
    if (!scroller || !rect) return;
    const isPage = scroller === document.scrollingElement;
    const view = isPage ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : scroller.getBoundingClientRect();
    const left = Math.max(view.left, 0), right = Math.min(view.right, innerWidth), top = Math.max(view.top, 0), bottom = Math.min(view.bottom, innerHeight);
    const bounded = (value, from, to) => Math.min(Math.max(value, from + 1), to - 1);
    const { x, y } = position ? spot() : { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
    const x1 = bounded(x, left, right);
    const y1 = widestFree(top, bottom, (at) => isFree(x1, at, scroller)) ?? bounded(y, top, bottom);
    const x2 = isFree(x1, y1, scroller) ? x1 : widestFree(left, right, (at) => isFree(at, y1, scroller)) ?? x1;
    let down = y - y1, across = x - x2;
    for (const box of scrollers) {
      const before = [box.scrollLeft, box.scrollTop];
      box.scrollBy({ left: across, top: down, behavior: "instant" });
      across -= box.scrollLeft - before[0];
      down -= box.scrollTop - before[1];
    }
  };
`;

/**
 * this: the element. Scrolls it into view, waits until it rests, and returns the point where the mouse hits it, or `{error, …}`. `presses`:
 * how many will follow. `position`: the only point, from the top left of its box; outside the box, the reply is `{beside}`, the box's size.
 * In the reply `blind` means that the point is in an inner document, `asks` that only the press shows whether it was taken, `moving` that
 * the element does not come to rest.
 */
export const mousePoint = `async function (presses, position) {
  ${common}
  ${living}
  const el = this;
  if (el.localName === "option" && !el.getClientRects().length) {
    const list = el.closest("select");
    const open = list !== null && CSS.supports("selector(:open)") && list.matches(":open");
    return { error: list === null ? "suggestion" : open ? "open-option" : "option" };
  }
  if (presses && (el.disabled === true || el.matches(":disabled"))) return { error: "disabled", what: describe(el) };
  ${placed}
  ${drawn}
  ${accepting}
  ${resting}
  ${aiming}
  ${standingIn}
  ${betweenBars}
  ${guarding}
  const what = describe(el);
  const bring = (block) => {
    const one = goal();
    if (!one) return;
    const boxed = () => [...(one.shadowRoot || one).querySelectorAll("*")].find((inner) => inner.getClientRects().length);
    const box = one.localName === "area" ? imageOf(one) : one.getClientRects().length ? one : boxed() || one;
    if (block === "settled") return;
    if (block === "gap") toGap();
    else if (block === "nearest" && box.scrollIntoViewIfNeeded) box.scrollIntoViewIfNeeded(true);
    else box.scrollIntoView({ block, inline: "center", behavior: "instant" });
  };
  let covering = null;
  const ways = ["nearest", "center", "end", "start", "gap"];
  for (const block of [...ways, "settled", ...ways]) {
    if (block === "settled" && !(await settled())) break;
    bring(block);
    await rest();
    const reason = hiddenBecause();
    if (reason) return { error: "hidden", what, reason };
    if (position) {
      const { width, height } = whole(goal());
      if (position.x >= width || position.y >= height) return { beside: { width, height } };
    }
    const aimed = aim(middles);
    if (aimed.x !== undefined) {
      if (!aimed.blind) guard(null);
      return { ...aimed, moving };
    }
    covering = aimed.covering || covering;
  }
  const small = aim(fine(16));
  const stand = small.x === undefined && !position ? byWrapper() : null;
  const { x, y, blind = false } = stand || small;
  if (x !== undefined) {
    if (!blind) guard(stand && stand.wrapper);
    return { x, y, blind, asks: stand !== null, moving };
  }
  if (!covering) return { error: "outside", what };
  return isInert(el) || getComputedStyle(el).pointerEvents === "none" ? { error: "inert", what } : { error: "covered", what, by: describe(covering) };
}`;

/** this: a frame element; `inner`: a point in the inner viewport. Returns the point in this viewport, or `{error, …}` if covered. */
export const throughFrame = `async function (inner) {
  ${common}
  ${placed}
  ${resting}
  await settled();
  const { x, y } = contentAt(this, inner.x, inner.y);
  const hit = deepAt(x, y, rootsAround(this));
  for (let node = hit; node; node = above(node)) if (node === this) return { ...inner, x, y };
  if (!hit) return { error: "outside", what: describe(this) };
  return { error: "covered", what: describe(this), by: describe(hit) };
}`;
