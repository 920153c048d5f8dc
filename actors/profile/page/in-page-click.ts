/** Functions that run inside a page, as in in-page.ts: where the mouse meets an element, and whether a press came to it. */
import { common, living } from "./in-page.ts";
import { drawn, placed, resting } from "./in-page-places.ts";

/** `goals`: the element, then its labels. What a press of a goal may meet, and what in it takes the press for itself. */
const accepting = `
  const known = rootsAround(el);
  const goals = [el, ...(el.labels || [])];
  // An element of the browser's own, such as a part of a date field, is hit as its field.
  const ownHost = (root) => !root.host.shadowRoot && !/-|^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/.test(root.host.localName);
  const accepts = (hit) => {
    for (let node = hit; node; node = above(node)) if (node === el || node.localName === "label" && node.control === el) return true;
    return known.some((root) => root.host === hit && ownHost(root));
  };
  const takers = "a[href],button,input,select,textarea,summary,iframe,frame,object,embed,[contenteditable],[tabindex],[role=button],[role=link],[role=checkbox],[role=switch],[role=tab],[role=menuitem],[role=option]";
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
    // All of a list is its options, and all of a label may be a link.
    return other ? { x: other.x, y: other.y, blind: isFrame(other.hit) } : { covering };
  };
`;

/** Uses `aiming`. A native control that its page hides inside the part that it draws instead, such as the thumb of a slider. */
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
    const whole = scroller === document.scrollingElement;
    const view = whole ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : scroller.getBoundingClientRect();
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

/** Watches for the `presses`, and stops one that would meet another element. `pressFelt` and `pressEnded` read the outcome. */
const guarding = `
  const names = presses ? ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"] : [];
  const guard = (wrapper) => {
    globalThis.troupePress?.end();
    let outcome = null, settle = () => {};
    const felt = new Promise((resolve) => { settle = resolve; });
    const was = el.checked + " " + el.value;
    let clicked = false;
    const noted = () => { clicked = true; };
    if (wrapper) el.addEventListener("click", noted, true);
    const end = () => {
      for (const name of names) removeEventListener(name, feel, true);
      el.removeEventListener("click", noted, true);
      clearTimeout(forgotten);
    };
    const isMine = (event) => {
      const hit = deepAt(event.clientX, event.clientY, known);
      return event.composedPath().some((node) => node === el || node === wrapper || node.localName === "label" && node.control === el)
        || hit !== null && accepts(hit);
    };
    let hits = 0;
    const feel = (event) => {
      if (!event.isTrusted) return;
      if (outcome === null || outcome.hit && hits < presses && event.type === "pointerdown") {
        const other = deepAt(event.clientX, event.clientY, known) || document.documentElement;
        if (isMine(event)) outcome = { hit: true };
        else outcome = { hit: false, what: describe(el), by: describe(other), ...(hits ? { after: hits } : {}) };
        settle(outcome);
        if (outcome.hit && ++hits === presses && !wrapper) return end();
      }
      if (outcome.hit) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (presses === 1 && /click$/.test(event.type)) end();
    };
    for (const name of names) addEventListener(name, feel, true);
    const forgotten = setTimeout(end, 60000);
    const ended = () => {
      end();
      if (outcome === null) settle(outcome = { hit: el.matches(":hover"), unfelt: true });
      if (!wrapper || !outcome.hit) return outcome;
      const taken = clicked || el.getRootNode().activeElement === el || el.checked + " " + el.value !== was;
      return taken ? outcome : { hit: false, what: describe(el), by: describe(wrapper) };
    };
    globalThis.troupePress = { felt, ended, end, isMine };
  };
`;

/**
 * this: the element. Scrolls it into view, waits until it rests, and returns where the mouse hits it, or `{error, …}`. `blind`: the mouse meets
 * a document in it. `asks`: whether a press was taken is known only after it. `moving`: it does not come to rest. `presses`: how many
 * will follow. `position`: only there, from the top left of its box; `{beside}`, the box's size, when that lies outside.
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
  return { error: "covered", what, by: describe(covering) };
}`;

/** The outcome of the press that `mousePoint` prepared, as soon as the page receives it; `pressEnded`: now. */
export const pressFelt = "function () { return globalThis.troupePress?.felt; }";
export const pressEnded = "function () { return globalThis.troupePress?.ended(); }";

/** this: a frame element; x, y: a point in the inner viewport. Returns the point in this viewport, or `{error, …}` if covered. */
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

/** After `mousePoint`. Whether the mouse reaches its element within \`ms\`. A page may stop some of the events. */
export const mouseComes = `function (ms) {
  const names = ["pointerrawupdate", "pointerover", "pointermove", "mouseover", "mousemove"];
  return new Promise((resolve) => {
    const stop = (value) => {
      for (const name of names) removeEventListener(name, feel, true);
      clearTimeout(end);
      resolve(value);
    };
    const feel = (event) => {
      if (event.isTrusted && globalThis.troupePress.isMine(event)) stop(true);
    };
    const end = setTimeout(() => stop(false), ms);
    for (const name of names) addEventListener(name, feel, true);
  });
}`;
