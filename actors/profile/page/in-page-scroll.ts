/** Functions that run inside a page, as in in-page.ts: scrolling, and how far it goes. */
import { common } from "./in-page.ts";

/** Starts recording scrolling for `scrollRest`. Returns whether the page is drawn. */
export const watchScroll = `function () {
  const state = { started: false, ended: false };
  globalThis.__scroll = state;
  addEventListener("scroll", () => { state.started = true; }, { capture: true, once: true });
  addEventListener("scrollend", () => { state.ended = true; }, { capture: true, once: true });
  return !document.hidden;
}`;

/** `scroller(el, x, y)`: el or the first element around it that can scroll, the innermost at the point when el is null and the page cannot. */
const scrollers = `
  ${common}
  const page = document.scrollingElement || document.documentElement;
  const spare = (el) => ({ x: el.scrollWidth - el.clientWidth, y: el.scrollHeight - el.clientHeight });
  const scrolls = (el) => {
    const { overflowX, overflowY } = getComputedStyle(el);
    const { x, y } = spare(el);
    return (x > 0 && /auto|scroll/.test(overflowX)) || (y > 0 && /auto|scroll/.test(overflowY));
  };
  const scroller = (el, x, y) => {
    const { x: wide, y: high } = spare(page);
    if (!el && (wide > 0 || high > 0)) return page;
    for (let at = el || deepAt(x, y); at && at !== page; at = above(at)) if (scrolls(at)) return at;
    return page;
  };
`;

/** this: an element, or nothing for what the point shows. Where its scroller is, and where it ends. */
export const scrollPlace = `function (x, y) {
  ${scrollers}
  const el = scroller(this instanceof Element ? this : null, x, y);
  const { x: wide, y: high } = spare(el);
  return { x: Math.round(el.scrollLeft), y: Math.round(el.scrollTop), max_x: Math.max(0, wide), max_y: Math.max(0, high) };
}`;

/** this: an element, or nothing for what the point shows. Scrolls its scroller at once, as in a window that draws nothing. */
export const scrollAtOnce = `function (x, y, left, top) {
  ${scrollers}
  scroller(this instanceof Element ? this : null, x, y).scrollBy({ left, top, behavior: "instant" });
}`;

/** Waits until the scrolling has ended, or nothing has scrolled. */
export const scrollRest = `async function () {
  const state = globalThis.__scroll;
  const begun = performance.now();
  while (state && !state.ended) {
    const spent = performance.now() - begun;
    if (spent > (state.started ? 2000 : 150)) break;
    await new Promise((done) => {
      requestAnimationFrame(done);
      setTimeout(done, 50);
    });
  }
}`;
