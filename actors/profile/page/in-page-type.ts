/** Functions that run inside a page, as in in-page.ts: the focus and caret for typing, and whether the text came. */
import { common, labelled } from "./in-page.ts";

/** `el`: the element. What has the focus, across the shadow roots around it, and where a press puts the caret behind the text. */
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

/** Fields of several parts; the text of a mask that waits for signs. */
export const kinds = `
  const isDated = (field) => /^(date|datetime-local|month|time|week)$/.test(field.type);
  const isMask = (text) => /_[^\\w\\s]?_/.test(text);
`;

/** Watches what the keys do to a field. `typedText` reads the outcome. */
const watching = `
  const noText = /^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/;
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
    const before = textOf(field);
    const feel = (event) => {
      if (event.isTrusted && events.length < 1000) events.push(event);
    };
    const end = () => {
      for (const name of names) removeEventListener(name, feel, true);
    };
    for (const name of names) addEventListener(name, feel, true);
    globalThis.troupeTyped = { field, fresh, before, events, now: () => textOf(field), part: isPart(field), end };
  };
`;

/**
 * this: the element to type into, or its label. Focuses it, puts a new caret behind the text, and returns `{}` or `{error, …}`. `purpose`:
 * "text", or "keys", which any element with the focus takes. `frame`: the keys are for the document in it. `asleep`: the window has no focus, so that the page would learn of it too late. `spot`: the page moved the caret when the field got the focus; a press there is what a person does.
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
    if (!has()) return { error: "not-focusable", what };
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
    return { error: "not-focusable", what };
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
 * After `focusForTyping`, when the page has handled the keys. text: what was typed. Returns `{}`, or `{error, …}` when it is not there and
 * the page did not take it. `spot`: a mask may have refused it at that caret; where a press puts the caret as a person does.
 */
export const typedText = `async function (text) {
  ${common}
  const { field, fresh, before, events, now, part, end } = globalThis.troupeTyped;
  end();
  const el = field;
  ${focusing}
  ${kinds}
  if (!field.isConnected) return {};
  const what = describe(field);
  if (before === null) return events.length ? {} : { error: "unfelt", what };
  const typed = text.replace(/[\\r\\n]+$/, "");
  if (!typed) return {};
  const prevented = events.some((event) => event.defaultPrevented);
  // The page may have used the text and cleared the field, or handle keys by itself.
  const used = !before.trim() && (prevented || events.some(({ type }) => type === "input"));
  const dated = isDated(field);
  if (dated) {
    const like = field.cloneNode();
    like.value = typed;
    if (like.value === typed && now() !== typed) return { error: "not-date", what, reason: now() };
    if (field.validity.badInput) return {};
  }
  for (let round = 0; now() === before; round++) {
    if (used || part && before.endsWith(typed)) return {};
    if (round === 10) return { error: "not-taken", what, spot: fresh && before && field.selectionStart >= 0 && !dated ? endSpot(field) : null };
    await frame();
  }
  if (prevented) return {};
  const whole = before + typed;
  if (field.maxLength > 0 && whole.length > field.maxLength && now() === whole.slice(0, field.maxLength))
    return { error: "cut", what, reason: String(field.maxLength) };
  if (field.type === "number" && /[^\\d+\\-.,eE]/.test(typed)) return { error: "not-number", what };
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
