/** Functions that run inside a page, as in in-page.ts, after `focusForTyping`: emptying its field. */
import { common } from "./in-page.ts";
import { kinds } from "./in-page-type.ts";

/**
 * Returns the keys that empty the field, as a person would press them. `again`: the page has used those keys for itself, so this script
 * selects the text. An empty input gets no key, since a key may delete what is before it.
 */
export const keysToClear = `function (again) {
  ${kinds}
  const { field, now, part } = globalThis.troupeTyped;
  const text = now();
  if (text === null) return [];
  if (part) return ["Delete"];
  if (isDated(field)) {
    if (!text && !field.validity.badInput) return [];
    field.value = ""; // A key empties only one of its parts.
    for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true, composed: name === "input" }));
    return [];
  }
  if (field.localName === "input") {
    if (!text && !field.validity.badInput) return [];
    field.select();
    return ["Delete"];
  }
  // An editor may have more text than the part of it that has the focus.
  if (!again) return [/^(Mac|iP)/.test(navigator.platform) ? "Meta+a" : "Control+a", "Delete"];
  if (field.localName === "textarea") field.select();
  else getSelection().selectAllChildren(field);
  return ["Delete"];
}`;

/** text: what the field had. Returns `{}` or `{error, …}`. What the page itself has put there stays, such as the signs of a mask. */
export const isCleared = `async function (text, again) {
  ${common}
  ${kinds}
  const { field, now, part } = globalThis.troupeTyped;
  const shown = () => {
    if (typeof field.value === "string") return field.value;
    const copy = field.cloneNode(true);
    for (const own of copy.querySelectorAll("[contenteditable=false]")) own.remove(); // Such as a placeholder.
    return copy.textContent.replace(/[\\s\\u200b\\ufeff]/g, "");
  };
  if (part) return {};
  for (let round = 0; round < 10; round++) {
    if (!field.isConnected || !shown()) return {};
    await frame();
  }
  if (again && now() !== text || isMask(now())) return {};
  return { error: "not-cleared", what: describe(field) };
}`;

/** The text of the field. */
export const fieldText = "function () { return globalThis.troupeTyped.now(); }";
