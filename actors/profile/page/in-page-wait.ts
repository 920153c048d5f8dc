/** Functions that run inside a page, as in in-page.ts: whether an element or a text is shown. */
import { common } from "./in-page.ts";
import { drawn, placed } from "./in-page-places.ts";

/** `roots`: the document and the open shadow roots in it. `isShown`: whether a person may see an element; one that is transparent counts. */
const showing = `
  ${common}
  ${placed}
  ${drawn}
  const roots = [document];
  for (const root of roots) for (const host of root.querySelectorAll("*")) if (host.shadowRoot) roots.push(host.shadowRoot);
  const matches = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const isShown = (el) => {
    if (!pieces(el).length || el.localName !== "area" && getComputedStyle(el).visibility !== "visible") return false;
    return el.localName === "area" || !el.getClientRects().length || el.checkVisibility();
  };
`;

/** Null stands for what is not asked. Returns what holds in this document. Throws SyntaxError for a bad selector. */
export const whatHolds = `function (selector, ...texts) {
  ${showing}
  const found = selector === null ? [] : matches(selector);
  const plain = (text) => text.replace(/[\\u00ad\\u200b\\u2060\\ufeff]/g, "").replace(/\\s+/g, " ").trim().toLowerCase();
  const shown = [];
  const parts = texts.every((text) => text === null) ? [] : roots.flatMap((root) => root === document ? [document.body].filter(Boolean) : [...root.children]);
  for (const part of parts) if (part.innerText && pieces(part).length) shown.push(plain(part.innerText));
  if (parts.length) for (const button of matches("input[type=button],input[type=submit],input[type=reset]")) if (isShown(button)) shown.push(plain(button.value));
  const has = (text) => text !== null && shown.some((one) => one.includes(plain(text)));
  const [text, gone] = texts.map(has);
  return { attached: found.length > 0, visible: found.some(isShown), text, gone };
}`;

/** The first match, or the first that is shown; null without one. */
export const firstMatch = `function (selector, shown) {
  ${showing}
  return matches(selector).find((el) => !shown || isShown(el)) || null;
}`;
