/** Functions that run inside a page, as in in-page.ts: the state of checkboxes and lists. */
import { common, labelled } from "./in-page.ts";

/** For a list that is drawn bit by bit. */
const walkMs = 5_000;

const control = `
  ${labelled}
  const role = (el.getAttribute("role") || "").trim().split(/\\s+/)[0];
  const disabled = (one) => one.matches(":disabled") || one.getAttribute("aria-disabled") === "true";
`;

/**
 * this: a checkbox, switch or radio button, or its label. Waits up to `ms` for the state `wanted`, and returns `{checked, radio}` or
 * `{error, …}`. `checked` is null for a mixed state.
 */
export const checkState = `async function (wanted, ms) {
  ${common}
  ${control}
  const native = el.localName === "input" && /^(checkbox|radio)$/.test(el.type);
  if (!native && !/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role)) return { error: "not-checkable", what };
  if (disabled(el)) return { error: "disabled", what };
  const state = () => {
    const said = el.getAttribute("aria-checked");
    if (native ? el.indeterminate : said === "mixed") return null;
    return native ? el.checked : said === "true";
  };
  for (const end = performance.now() + ms; el.isConnected && state() !== wanted && performance.now() < end;) await frame();
  if (!el.isConnected) return { error: "gone" };
  return { checked: state(), radio: native ? el.type === "radio" : role.endsWith("radio") };
}`;

const optionText = `
  const textOf = (option) => (option.localName === "option" ? option.label : option.getAttribute("aria-label") || option.innerText || option.textContent || "").trim().replace(/\\s+/g, " ");
  const valueOf = (option) => option.localName === "option" ? option.value : option.getAttribute("data-value") ?? option.getAttribute("value") ?? textOf(option);
  const pick = (options, wanted) => {
    const text = wanted.trim().replace(/\\s+/g, " ");
    return options.find((option) => valueOf(option) === wanted) || options.find((option) => textOf(option) === text || option.title === text);
  };
  const namesOf = (texts) => texts.slice(0, 20).map((text) => JSON.stringify(text.slice(0, 60))).join(", ") + (texts.length > 20 ? " and " + (texts.length - 20) + " more" : "");
`;

/** The options of a listbox, also of one that draws only those in view, or keeps itself out of sight and draws them beside it. */
const drawnOptions = `
  const isDrawn = (one) => { const { width, height } = one.getBoundingClientRect(); return width > 0 && height > 0; };
  const optionsOf = (list) => {
    // Those beside it often have no roles or states of ARIA.
    const like = "[aria-selected], [class*=option]";
    const beside = isDrawn(list) ? [] : [...list.parentElement.querySelectorAll(like)].filter((one) => !list.contains(one) && !one.parentElement.closest(like) && isDrawn(one));
    return beside.length ? beside : [...list.querySelectorAll("[role=option]")];
  };
  const isChosen = (option) => option.getAttribute("aria-selected") === "true" || option.getAttribute("aria-checked") === "true" ||
    option.getAttribute("role") !== "option" && /(^|[-_])selected$/m.test(option.className.replace(/\\s+/g, "\\n"));
  const scrollerOf = (list, [option] = optionsOf(list)) => {
    for (let one = option; one && one !== list.parentElement.parentElement; one = one.parentElement)
      if (one.clientHeight > 0 && one.scrollHeight > one.clientHeight + 1) return one;
  };
  // Shows it to "visit" from its beginning to its end, until that returns true.
  const walk = async (list, visit) => {
    const scroller = scrollerOf(list);
    if (visit(optionsOf(list)) || !scroller) return;
    scroller.scrollTop = 0;
    for (const end = performance.now() + ${walkMs}; performance.now() < end;) {
      await frame();
      await frame();
      if (visit(optionsOf(list))) return;
      const before = scroller.scrollTop;
      scroller.scrollTop += scroller.clientHeight * 0.8;
      if (scroller.scrollTop === before) return;
    }
  };
`;

/** Uses `control`. `outOfReach`: why a person could not use the control; null when one could. */
const reach = `
  const outOfReach = (el) => {
    if (disabled(el)) return { error: "disabled", what };
    if (!el.getClientRects().length) return { error: "hidden", what, reason: "it has no box (display: none, or empty)" };
    const { visibility } = getComputedStyle(el);
    if (visibility !== "visible") return { error: "hidden", what, reason: "its visibility is " + visibility };
    if (isInert(el)) return { error: "inert", what };
    // The page behind an open dialog takes no input.
    const modals = [...document.querySelectorAll("dialog:modal")];
    let within = el;
    while (within && !modals.includes(within)) within = above(within);
    return modals.length && !within ? { error: "covered", what, by: describe(modals.at(-1)) } : null;
  };
`;

/** Uses `optionText`. `suggested`: gives a field with a datalist the value of one of its suggestions, which the browser lists outside the page. */
const suggestions = `
  const suggested = (el, wanted) => {
    if (el.readOnly) return { error: "read-only", what };
    if (wanted.length !== 1) return { error: "one-option", what };
    const options = [...el.list.options].filter((option) => !option.disabled && option.value);
    const option = pick(options, wanted[0]);
    if (!option) return { error: "no-option", what, by: JSON.stringify(wanted[0]), reason: namesOf(options.map(textOf)) };
    el.focus();
    if (el.value !== option.value) {
      el.value = option.value;
      for (const name of ["input", "change"]) el.dispatchEvent(new Event(name, { bubbles: true, composed: name === "input" }));
    }
    return { values: [option.value] };
  };
`;

/** this: a select, a field with a datalist, or its label. Chooses the options and returns `{values}`, `{custom: true}` for another kind of list, or `{error, …}`. */
export const chooseOptions = `async function (wanted, ms) {
  ${common}
  ${control}
  ${optionText}
  ${reach}
  ${suggestions}
  const suggests = el.localName === "input" && el.list;
  if (el.localName !== "select" && !suggests) {
    if (role === "listbox" || role === "combobox" || el.getAttribute("aria-haspopup") === "listbox") return { custom: true };
    return { error: "not-list", what };
  }
  const refused = outOfReach(el);
  if (refused) return refused;
  if (suggests) return suggested(el, wanted);
  if (!el.multiple && wanted.length !== 1) return { error: "one-option", what };
  const isThere = (name) => pick([...el.options], name);
  if (!wanted.every(isThere)) {
    // Some pages fetch the options only once the list is opened.
    el.focus();
    for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
      el.dispatchEvent(new (name.startsWith("p") ? PointerEvent : MouseEvent)(name, { bubbles: true, composed: true, cancelable: true }));
    for (const end = performance.now() + ms; !wanted.every(isThere) && performance.now() < end;) await frame();
  }
  const options = [...el.options];
  const chosen = [];
  for (const name of wanted) {
    const option = pick(options, name);
    if (!option) return { error: "no-option", what, by: JSON.stringify(name), reason: namesOf(options.map(textOf)) };
    if (option.matches(":disabled")) return { error: "option-disabled", what, by: JSON.stringify(name) };
    chosen.push(option);
  }
  if (options.some((option) => option.selected !== chosen.includes(option))) {
    for (const option of options) option.selected = chosen.includes(option);
    for (const name of ["input", "change"]) el.dispatchEvent(new Event(name, { bubbles: true, composed: name === "input" }));
  }
  return { values: options.filter((option) => chosen.includes(option)).map(valueOf) };
}`;

/** this: a select, a field with a datalist, or its label. The values that are chosen now, as `{values}`; null when the page has removed it. */
export const chosenOptions = `function () {
  ${optionText}
  const el = this.localName === "label" ? this.control : this;
  if (!el || !el.isConnected) return null;
  return { values: el.localName === "select" ? [...el.selectedOptions].map(valueOf) : [el.value] };
}`;

/** this: a listbox or a combobox. Its listbox, when that is shown; null otherwise. */
export const shownList = `async function (ms) {
  ${common}
  const look = () => {
    if (this.getAttribute("role") === "listbox") return this;
    const ids = ((this.getAttribute("aria-controls") || "") + " " + (this.getAttribute("aria-owns") || "")).trim().split(/\\s+/);
    const near = ids.map((id) => id && this.getRootNode().getElementById(id)).find(Boolean);
    const list = near && (near.matches("[role=listbox]") ? near : near.querySelector("[role=listbox]"));
    return list && list.getClientRects().length && list.querySelector("[role=option]") ? list : null;
  };
  let list = look();
  for (const end = performance.now() + ms; !list && performance.now() < end; list = look()) await frame();
  return list;
}`;

/** this: a listbox. Whether the named option is chosen, as `{chosen, several, value}`, or `{error, …}`. */
export const optionState = `async function (name) {
  ${common}
  ${control}
  ${optionText}
  ${drawnOptions}
  const seen = new Map();
  let option;
  await walk(el, (options) => {
    for (const one of options) seen.set(textOf(one), one);
    return Boolean(option = pick(options, name));
  });
  if (!option) return { error: "no-option", what, by: JSON.stringify(name), reason: namesOf([...seen.keys()]) };
  if (disabled(option)) return { error: "option-disabled", what, by: JSON.stringify(name) };
  const several = el.getAttribute("aria-multiselectable") === "true" || !isDrawn(el); // One out of sight says less.
  return { chosen: isChosen(option), several, value: valueOf(option) };
}`;

/** this: a listbox. The option of this name. */
export const optionNamed = `function (name) {
  ${optionText}
  ${drawnOptions}
  return pick(optionsOf(this), name) || null;
}`;

/** this: a listbox. The names of its chosen options that are not `wanted`. */
export const unwantedOptions = `async function (wanted) {
  ${common}
  ${optionText}
  ${drawnOptions}
  const unwanted = new Set();
  await walk(this, (options) => {
    const kept = wanted.map((name) => pick(options, name));
    for (const option of options) if (isChosen(option) && !kept.includes(option)) unwanted.add(textOf(option));
  });
  return [...unwanted];
}`;

/** this: a combobox; `label`: an option that was clicked. Whether the combobox shows it, within `ms`. */
export const showsChoice = `async function (label, ms) {
  ${common}
  const shows = () => {
    let text = "";
    for (let el = this, up = 0; el && up < 3; el = above(el), up++) text += " " + (el.value || "") + " " + (el.innerText || "");
    return text.replace(/\\s+/g, " ").includes(label);
  };
  for (const end = performance.now() + ms; !shows() && performance.now() < end;) await frame();
  return shows();
}`;
