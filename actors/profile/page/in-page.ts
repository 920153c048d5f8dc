/** Functions that run inside a page, in our isolated world. They are text, because a compiler's helpers do not exist there. */

/** Helpers: an element's name for messages, and its parent across shadow boundaries. */
export const common = `
  const describe = (el) => {
    let text = el.localName;
    if (el.id) text += "#" + el.id;
    else if (typeof el.className === "string" && el.className.trim()) text += "." + el.className.trim().split(/\\s+/).slice(0, 2).join(".");
    const label = (el.getAttribute("aria-label") || el.innerText || el.value || "").toString().trim().replace(/\\s+/g, " ");
    return "<" + text + ">" + (label ? ' "' + (label.length > 40 ? label.slice(0, 40) + "…" : label) + '"' : "");
  };
  const above = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  const deepAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const frame = () => new Promise((done) => {
    requestAnimationFrame(done);
    setTimeout(done, 200); // A hidden page draws no frames.
  });
`;

/** `el`: the element. Why it is hidden, and its first box when it has come to rest. */
export const resting = `
  const boxOf = () => {
    for (const rect of el.getClientRects()) if (rect.width > 0 && rect.height > 0) return rect;
    return null;
  };
  const hiddenBecause = () => {
    if (!boxOf()) return "it has no box (display: none, or empty)";
    if (getComputedStyle(el).visibility !== "visible") return "its visibility is " + getComputedStyle(el).visibility;
    return null;
  };
  const rest = async () => {
    let last = boxOf();
    for (let round = 0; round < 120; round++) {
      await frame();
      const now = boxOf();
      if (!now) return null;
      if (last && now.x === last.x && now.y === last.y && now.width === last.width && now.height === last.height) return now;
      last = now;
    }
    return null;
  };
`;

/** this: the element. Scrolls it into view, waits until it rests, and returns `{x, y}`, where a click hits it, or `{error, …}`. */
export const clickPoint = `async function () {
  ${common}
  const el = this;
  if (!el.isConnected) return { error: "gone" };
  if (!(el instanceof Element)) return { error: "not-element" };
  if (el.localName === "option" && !el.getClientRects().length) return { error: "option" };
  if (el.disabled === true || (el.matches && el.matches(":disabled"))) return { error: "disabled", what: describe(el) };
  ${resting}
  const accepts = (hit) => {
    for (let node = hit; node; node = above(node)) {
      if (node === el) return true;
      if (node.localName === "label" && node.control === el) return true;
    }
    return false;
  };
  const aim = () => {
    let covering = null;
    for (const rect of el.getClientRects()) {
      const left = Math.max(rect.left, 0), right = Math.min(rect.right, innerWidth);
      const top = Math.max(rect.top, 0), bottom = Math.min(rect.bottom, innerHeight);
      if (right - left < 1 && rect.width >= 1 || bottom - top < 1 && rect.height >= 1 || right < left || bottom < top) continue;
      const x = (left + right) / 2, y = (top + bottom) / 2;
      const hit = deepAt(x, y);
      if (hit && accepts(hit)) return { x, y };
      covering = covering || hit;
    }
    return { covering };
  };
  let reason = hiddenBecause();
  if (reason) return { error: "hidden", what: describe(el), reason };
  let covering = null;
  for (const block of ["nearest", "center", "end", "start"]) {
    if (block === "nearest") el.scrollIntoViewIfNeeded ? el.scrollIntoViewIfNeeded(true) : el.scrollIntoView({ block, behavior: "instant" });
    else el.scrollIntoView({ block, inline: "center", behavior: "instant" });
    const box = await rest();
    reason = hiddenBecause();
    if (reason) return { error: "hidden", what: describe(el), reason };
    if (!box) return { error: "moving", what: describe(el) };
    const aimed = aim();
    if (aimed.x !== undefined) return aimed;
    covering = aimed.covering || covering;
  }
  if (!covering) return { error: "outside", what: describe(el) };
  return { error: "covered", what: describe(el), by: describe(covering) };
}`;

/** this: a frame element. From coordinates of the inner viewport to those of this one. */
export const placed = `
  const rect = this.getBoundingClientRect();
  const style = getComputedStyle(this);
  const scaleX = this.offsetWidth ? rect.width / this.offsetWidth : 1;
  const scaleY = this.offsetHeight ? rect.height / this.offsetHeight : 1;
  const outerX = (x) => rect.left + (this.clientLeft + parseFloat(style.paddingLeft) + x) * scaleX;
  const outerY = (y) => rect.top + (this.clientTop + parseFloat(style.paddingTop) + y) * scaleY;
`;

/** this: a frame element; x, y: a point in the inner viewport. Returns the point in this viewport, or `{error, …}` if covered. */
export const throughFrame = `function ({ x, y }) {
  ${common}
  ${placed}
  const hit = deepAt(outerX(x), outerY(y));
  for (let node = hit; node; node = above(node)) if (node === this) return { x: outerX(x), y: outerY(y) };
  if (!hit) return { error: "outside", what: describe(this) };
  return { error: "covered", what: describe(this), by: describe(hit) };
}`;

/** this: an element; x, y: a point in its viewport. Whether the mouse reaches it within `ms`. A page may stop some of the events. */
export const mouseComes = `function (x, y, ms) {
  ${common}
  const hit = deepAt(x, y);
  if (hit && ["iframe", "frame", "object", "embed", "fencedframe"].includes(hit.localName)) return true;
  const names = ["pointerrawupdate", "pointerover", "pointermove", "mouseover", "mousemove"];
  return new Promise((resolve) => {
    const stop = (value) => {
      for (const name of names) removeEventListener(name, feel, true);
      clearTimeout(end);
      resolve(value);
    };
    const feel = (event) => {
      if (!event.isTrusted) return;
      if (event.composedPath().some((node) => node === this || node.localName === "label" && node.control === this)) stop(true);
    };
    const end = setTimeout(() => stop(false), ms);
    for (const name of names) addEventListener(name, feel, true);
  });
}`;

/** this: the element to type into, or its label. Focuses it and returns `{}` or `{error, …}`. A new caret goes to the end of the text. */
export const focusForTyping = `function () {
  ${common}
  let el = this;
  if (!el.isConnected) return { error: "gone" };
  if (!(el instanceof Element)) return { error: "not-element" };
  if (el.localName === "label" && el.control) el = el.control;
  const what = describe(el);
  if (el.matches(":disabled")) return { error: "disabled", what };
  if (el.readOnly === true && (el.localName === "input" || el.localName === "textarea")) return { error: "read-only", what };
  const active = () => {
    let node = document.activeElement;
    while (node && node.shadowRoot && node.shadowRoot.activeElement) node = node.shadowRoot.activeElement;
    return node;
  };
  if (el.scrollIntoViewIfNeeded) el.scrollIntoViewIfNeeded(true);
  if (el.isContentEditable) {
    let host = el;
    while (host.parentElement && host.parentElement.isContentEditable) host = host.parentElement;
    const selection = getSelection();
    const inside = active() === host && selection.anchorNode && el.contains(selection.anchorNode);
    host.focus();
    if (!inside) {
      selection.selectAllChildren(el);
      selection.collapseToEnd();
    }
    return active() === host ? {} : { error: "not-focusable", what };
  }
  const had = active() === el;
  el.focus();
  const now = active();
  if (now !== el && !(el.shadowRoot && el.contains(now))) {
    if (!el.getClientRects().length) return { error: "hidden", what, reason: "it has no box" };
    return { error: "not-focusable", what };
  }
  if (!had && typeof el.value === "string" && "setSelectionRange" in el) {
    try {
      el.setSelectionRange(el.value.length, el.value.length);
    } catch {} // Number, date and e-mail fields do not allow it.
  }
  return {};
}`;

/** this: the element for a file. Returns `{}` or `{error, …}`. */
export const fileInput = `function () {
  ${common}
  if (!this.isConnected) return { error: "gone" };
  if (!(this instanceof Element)) return { error: "not-element" };
  const what = describe(this);
  if (this.localName !== "input" || this.type !== "file") return { error: "not-file-input", what };
  return this.matches(":disabled") ? { error: "disabled", what } : {};
}`;

/** Waits up to `ms` for the first match, in shadow roots too, which are polled. Null without one. Throws SyntaxError for a bad selector. */
export const findElement = `async function (selector, ms) {
  const deep = (root) => {
    const hit = root.querySelector(selector);
    if (hit) return hit;
    for (const host of root.querySelectorAll("*")) {
      if (!host.shadowRoot) continue;
      const inner = deep(host.shadowRoot);
      if (inner) return inner;
    }
    return null;
  };
  const first = deep(document);
  if (first || ms <= 0) return first;
  return new Promise((resolve) => {
    const stop = (value) => {
      observer.disconnect();
      clearInterval(timer);
      clearTimeout(end);
      resolve(value);
    };
    const look = () => {
      const hit = deep(document);
      if (hit) stop(hit);
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
    const timer = setInterval(look, 100);
    const end = setTimeout(() => stop(null), ms);
  });
}`;

/** Starts recording scrolling for `scrollRest`. Returns whether the page is drawn. */
export const watchScroll = `function () {
  const state = { started: false, ended: false };
  globalThis.__scroll = state;
  addEventListener("scroll", () => { state.started = true; }, { capture: true, once: true });
  addEventListener("scrollend", () => { state.ended = true; }, { capture: true, once: true });
  return !document.hidden;
}`;

/** Scrolls the innermost element at this point that can scroll that way, as a wheel would. */
export const scrollUnseen = `function (x, y, left, top) {
  ${common}
  for (let el = deepAt(x, y); el; el = above(el)) {
    const { overflowX, overflowY } = getComputedStyle(el);
    if (!/auto|scroll/.test(left ? overflowX : overflowY)) continue;
    const before = [el.scrollLeft, el.scrollTop];
    el.scrollBy({ left, top, behavior: "instant" });
    if (el.scrollLeft !== before[0] || el.scrollTop !== before[1]) return;
  }
  scrollBy({ left, top, behavior: "instant" });
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

/** Resolves after the tasks that the last input queued, such as a form's submission. */
export const nextTask = "new Promise((done) => setTimeout(done, 0))";
