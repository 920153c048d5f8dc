/** Functions that run inside a page, as in in-page.ts: the focus and caret for typing, and whether the text came. */
import { common, labelled } from "./in-page.ts";
import { datedFields, dates } from "./in-page-date.ts";

/** `el`: the element. The active element across the shadow roots around it, and the point where a press puts the caret at the end. */
const focusing = `
  const textEnd = (place) => {
    const range = document.createRange();
    range.selectNodeContents(place);
    const last = [...range.getClientRects()].filter((rect) => rect.height > 0).at(-1);
    if (!last) return null;
    const y = last.top + last.height / 2;
    for (const x of [last.right + 1, last.right - 0.5]) if (place.contains(deepAt(x, y, known))) return { x, y };
    return null;
  };
  const known = rootsAround(el);
  const active = () => {
    let node = document.activeElement;
    for (let root = node && rootOf(node, known); root && root.activeElement; root = rootOf(node, known)) node = root.activeElement;
    return node;
  };
  const holds = (node) => {
    if (!el.shadowRoot) return node === el;
    while (node && node !== el) node = above(node);
    return node === el;
  };
  // In a frame that never had the focus, an element is active all the same.
  const framed = () => parent === window || document.hasFocus();
  const endSpot = (field) => {
    const rect = field.getBoundingClientRect(), style = getComputedStyle(field);
    const inset = (side) => parseFloat(style["padding" + side]) + parseFloat(style["border" + side + "Width"]) + 2;
    const end = style.direction === "rtl" ? rect.left + inset("Left") : rect.right - inset("Right");
    const y = field.localName === "textarea" ? rect.bottom - inset("Bottom") - 2 : rect.top + rect.height / 2;
    for (const x of [end, rect.left + rect.width / 2]) if (deepAt(x, y, known) === field) return { x, y };
    return null;
  };
`;

/** The text of a mask that waits for signs, and fields without a text. */
export const kinds = `
  ${datedFields}
  const noText = /^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/;
  const isMask = (text) => /_[^\\w\\s]?_/.test(text);
`;

/**
 * `changesBeside`: whether the page changes anything but the field, as one that uses the text for itself does; null for a field where that
 * does not count: an editor, and one that is out of sight, whose text the page may draw.
 */
const besides = `
  const isSeen = (field) => {
    const { width, height, right, bottom } = field.getBoundingClientRect();
    return width > 2 && height > 2 && right + scrollX > 0 && bottom + scrollY > 0 && field.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const changesBeside = (field) => {
    if (!field.matches("input,textarea") || field.type === "number" || !isSeen(field)) return null;
    const own = [];
    for (let node = field; node; node = above(node)) own.push(node);
    const state = () => location.href + [...document.querySelectorAll("input,textarea,select")].slice(0, 500).map((one) => one === field ? "" : one.value + one.checked).join();
    const before = state();
    let changed = false;
    const see = (records) => {
      // The look of a field that has the focus, or of what is around it, says nothing.
      changed ||= records.some(({ type, target }) => type !== "attributes" || !own.includes(target));
      if (changed) observer.disconnect();
    };
    const observer = new MutationObserver(see);
    for (const root of [document, ...rootsAround(field)]) observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    return () => {
      see(observer.takeRecords());
      return changed || state() !== before || active() !== field;
    };
  };
`;

/** Watches what the keys do to a field. `typedText` reads the outcome. */
const watching = `
  ${besides}
  // The browser's own, such as the month of a date.
  const isPart = (field) => field.getRootNode() instanceof ShadowRoot && field.getRootNode().host.localName === "input";
  const textOf = (field) => {
    if (field.localName === "textarea" || field.localName === "input" && !noText.test(field.type)) return field.value;
    return field.isContentEditable || document.designMode === "on" || isPart(field) ? field.textContent : null;
  };
  const watch = (field, fresh) => {
    globalThis.troupeTyped?.end();
    const names = ["keydown", "keypress", "beforeinput", "input"];
    const events = [];
    const others = new Set();
    const strays = [];
    const hosts = rootsAround(field).map((root) => root.host); // What a closed shadow root shows of its own.
    const before = textOf(field);
    const feel = (event) => {
      if (!event.isTrusted || events.length >= 1000) return;
      events.push(event);
      const [target] = event.composedPath();
      if (target === field || hosts.includes(target)) return;
      if (event.type === "input") others.add(target);
      if (event.type === "keydown" && event.key.length === 1) strays.push({ event, target });
    };
    const changed = changesBeside(field);
    // Whether keys came to what takes no text, because the page had taken the focus from the field.
    const astray = () => strays.some(({ event, target }) => textOf(target) === null && !event.defaultPrevented);
    const elsewhere = () => [...others].reduce((sum, other) => sum + (textOf(other) || "").length, 0);
    const end = () => {
      for (const name of names) removeEventListener(name, feel, true);
    };
    for (const name of names) addEventListener(name, feel, true);
    globalThis.troupeTyped = { field, fresh, before, events, elsewhere, changed, astray, now: () => textOf(field), part: isPart(field), end };
  };
`;

/**
 * this: the element to type into, or its label. Focuses it, puts a new caret at the end of the text, and returns `{}` or `{error, …}`.
 * `purpose`: "text", or "keys", which any focused element takes. In the reply `frame` means that the keys are for the document in it,
 * `asleep` that the window has no focus, and `spot` is where to press because the page moved the caret on focus.
 */
export const focusForTyping = `async function (purpose) {
  ${common}
  ${labelled}
  if (isFrame(el)) return { frame: true };
  if (el.matches(":disabled")) return { error: "disabled", what };
  ${focusing}
  ${kinds}
  ${watching}
  if (el.scrollIntoViewIfNeeded) el.scrollIntoViewIfNeeded(true);
  const isControl = /^(input|textarea|select|button)$/.test(el.localName);
  const design = document.designMode === "on";
  if (!isControl && (el.isContentEditable || design)) {
    let host = el;
    while (host.parentElement && host.parentElement.isContentEditable) host = host.parentElement;
    if (host === document.documentElement) host = document.body || host;
    const place = host.contains(el) ? el : host;
    const root = el.getRootNode();
    const selection = root.getSelection ? root.getSelection() : getSelection();
    const body = host === document.body;
    const has = () => active() === host || design && !(active() && active().matches("input,textarea,select,button"));
    const had = has() && framed() && (!body || document.hasFocus());
    const inside = had && selection.anchorNode && place.contains(selection.anchorNode);
    if (design) {
      if (!has()) active().blur();
      focus();
    } else host.focus();
    if (!inside) {
      selection.selectAllChildren(place);
      selection.collapseToEnd();
    }
    watch(host, !inside);
    if (!has()) return { error: isInert(el) ? "inert" : "not-focusable", what };
    if (inside) return {};
    // An editor with a text of its own (CodeMirror, Monaco) puts its own caret back a moment later. A press it follows.
    const own = host.editContext;
    if (!own) for (let frames = 0; frames < 2; frames++) await frame();
    const { anchorNode, anchorOffset } = selection;
    const range = document.createRange();
    range.selectNodeContents(place);
    if (!own && anchorNode && place.contains(anchorNode)) range.setStart(anchorNode, anchorOffset);
    const spot = own || range.toString().trim() !== "" ? textEnd(place) : null;
    return spot === null ? {} : { spot };
  }
  const toEnd = (field) => {
    try {
      if (field.selectionStart === null) getSelection().modify("move", "forward", "documentboundary");
      else field.setSelectionRange(field.value.length, field.value.length);
    } catch {} // It has no caret.
  };
  const isText = (field) => typeof field.value === "string" && "setSelectionRange" in field;
  // Text for a date begins in its first part, wherever the focus is.
  if (purpose === "text" && isDated(el)) el.blur();
  const had = holds(active()) && framed();
  // Before the focus, so that a page that moves the caret then is noticed.
  if (!had && isText(el) && el.selectionStart !== null) toEnd(el);
  if (!had) el.focus();
  const field = active();
  if (!had && field === el && !document.hasFocus()) {
    el.blur();
    return { asleep: true };
  }
  if (!field || !holds(field)) {
    if (!el.getClientRects().length) return { error: "hidden", what, reason: "it has no box" };
    return { error: isInert(el) ? "inert" : "not-focusable", what };
  }
  if (purpose === "text" && field.readOnly === true && (field.localName === "input" || field.localName === "textarea")) {
    if (!had) field.blur();
    return { error: "read-only", what };
  }
  let spot = null;
  if (!had && isText(field)) {
    const { selectionStart: start, selectionEnd: end, value } = field;
    const masked = isMask(value); // Some masks wait for a click.
    if (field === el && start !== null && start === end && (end < value.length || masked)) spot = endSpot(field);
    if (spot === null && (start === null || start !== value.length)) toEnd(field);
  }
  watch(field, !had);
  return spot === null ? {} : { spot };
}`;

/**
 * `isMissing`: whether letters or digits of a text are not in what is shown, which may be in another writing: `(555) 1`, `ADA`, `7` for `007`.
 * The country code of a telephone number may be shown beside the field.
 */
const missing = `
  const signs = (text) => [...text.normalize("NFKD").toUpperCase().replace(/[^\\p{L}\\p{N}]/gu, "").replace(/^0+/, "")];
  const isMissing = (typed, shown) => {
    const wanted = signs(typed);
    const there = signs(shown);
    return (typed.trim().startsWith("+") ? [0, 1, 2, 3] : [0]).every((at) => {
      for (const sign of there) if (sign === wanted[at]) at += 1;
      return at < wanted.length;
    });
  };
`;

/**
 * After `focusForTyping`, when the page has handled the keys. text: what was typed. Returns `{}`, or `{error, …}` when it is not there and
 * the page did not take it. `spot`: a mask may have refused it at that caret; where a press puts the caret as a person does.
 */
export const typedText = `async function (text) {
  ${common}
  const { field, fresh, before, events, elsewhere, changed, astray, now, part, end } = globalThis.troupeTyped;
  end();
  const el = field;
  ${focusing}
  ${kinds}
  ${dates}
  ${missing}
  const what = describe(field);
  const shows = () => field.type === "password" ? {} : { reason: now().slice(0, 80) };
  if (before !== null && astray()) return { error: "left", what, ...shows() };
  if (!field.isConnected) return {};
  if (before === null && !events.length) return { error: "unfelt", what };
  const typed = text.replace(/[\\r\\n]+$/, "");
  const prevented = events.some((event) => event.defaultPrevented);
  if (before === null) {
    const takesNone = field.localName === "input" && noText.test(field.type) && typed.trim() && !prevented;
    return takesNone ? { error: "no-text", what, reason: field.type } : {};
  }
  if (!typed) return {};
  const newLine = /[\\r\\n]/.test(text);
  // The page may have used the text and cleared the field, or handle keys by itself.
  const used = !before.trim() && (prevented || events.some(({ type }) => type === "input"));
  if (isDated(field)) {
    if (field.validity.badInput) return { error: "no-date", what };
    return isSameDate(field, typed) ? {} : { error: "not-date", what, reason: now() };
  }
  for (let round = 0; now() === before; round++) {
    if (used && (changed === null || newLine || changed()) || part && before.endsWith(typed)) return {};
    if (round === 10) return { error: "not-taken", what, spot: fresh && before && field.selectionStart >= 0 ? endSpot(field) : null };
    await frame();
  }
  // Keys that a part does not take go on into the next ones.
  const dated = part && field.getRootNode().host;
  if (!prevented && dated && isDated(dated) && dated.value && !isSameDate(dated, typed)) return { error: "not-date", what: describe(dated), reason: dated.value };
  const whole = before + typed;
  const rest = field.maxLength > 0 ? whole.length - field.maxLength : 0;
  // A page may put the rest into the next fields, as those of a code of single digits.
  if (!prevented && rest > 0 && now() === whole.slice(0, field.maxLength) && elsewhere() < rest)
    return { error: "cut", what, reason: String(field.maxLength) };
  // Where a comma is no decimal sign, the browser leaves it out: 1,5 becomes 15.
  const otherNumber = !before && /^[^,]*,(?!\\d{3}$)\\d+$/.test(typed.trim()) && !now().includes(".");
  if (!prevented && field.type === "number" && (otherNumber || /[^\\d+\\-.,eE]/.test(typed))) return { error: "not-number", what, ...shows() };
  if (changed === null || newLine) return {};
  // One as long as the text shows it otherwise, as one that draws dots for a password does.
  for (let round = 0; now().length < whole.length && isMissing(typed, now()); round++) {
    if (!field.isConnected || changed()) return {};
    if (round === 10) return { error: "lost", what, ...shows() };
    await frame();
  }
  return {};
}`;

/** The same for other keys than text: `{}`, or `{error, …}` when the page did not receive them. */
export const keysFelt = `function () {
  ${common}
  const { field, events, end } = globalThis.troupeTyped;
  end();
  return events.some(({ type }) => type === "keydown") ? {} : { error: "unfelt", what: describe(field) };
}`;

/** The element that text typed into a frame is for: its editable body, or a field in it that has the focus. */
export const editableInside = `function () {
  const el = document.activeElement;
  if (document.designMode === "on" || document.body && document.body.isContentEditable) return document.body;
  if (!el || !document.hasFocus()) return null;
  return el.isContentEditable || el.matches("input,textarea,select,iframe,frame") ? el : null;
}`;
