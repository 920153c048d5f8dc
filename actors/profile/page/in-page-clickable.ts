/** Functions that run inside a page, as in in-page.ts: what a person sees to be clickable, though no role says so. */
import { above } from "./in-page.ts";

const clickablesMax = 100;
const charsMax = 500_000;

/**
 * The outermost elements over which the mouse is a pointing hand, without a control around or in them; null for none. `withText`: also those with a text,
 * which a snapshot shows in any case; the others are icons. Each snapshot calls it, so it reads the style of few elements.
 */
export const clickables = `function (withText) {
  const controls = "a[href],area[href],button,input,select,textarea,summary,label,option,iframe,[contenteditable],[tabindex],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=tab],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option],[role=combobox],[role=textbox],[role=slider],[role=treeitem]";
  const named = "[aria-label],[title],img[alt]:not([alt=''])";
  // The style is inherited, so those without others in them tell of all.
  const leaves = withText ? "body :not(a,button,option,input,select,textarea,br,hr,script,style,template,svg *)" : "body :empty:not(a,button,option,input,select,textarea,br,hr,script,style,template,svg *),svg";
  ${above}
  const tops = new Map();
  const topOf = (el) => {
    if (tops.has(el)) return tops.get(el);
    const points = getComputedStyle(el).cursor === "pointer";
    const outer = points ? above(el) : null;
    const top = points ? (outer && topOf(outer)) || el : null;
    tops.set(el, top);
    return top;
  };
  const bare = (el) => !el.textContent.trim() && !el.matches(named) && !el.querySelector(named);
  const shown = (el) => { const { width, height } = el.getBoundingClientRect(); return width > 0 && height > 0 && el.checkVisibility({ visibilityProperty: true }); };
  const isFound = (top) => (withText || bare(top)) && !top.closest(controls) && !top.querySelector(controls) && shown(top);
  const asked = new Set([null]);
  const found = [];
  let room = ${charsMax};
  // A look for changes knows the shadow roots.
  const rootsIn = (root) => [root, ...[...root.querySelectorAll("*")].flatMap((el) => el.shadowRoot ? rootsIn(el.shadowRoot) : [])];
  for (const root of globalThis.troupeSeen?.roots ?? rootsIn(document)) {
    for (const el of root.querySelectorAll(root === document ? leaves : leaves.replaceAll("body ", ""))) {
      if (found.length >= ${clickablesMax} || room < 0) return found;
      if (withText && el.firstElementChild && el.localName !== "svg") continue;
      const top = topOf(el);
      if (asked.has(top)) continue;
      asked.add(top);
      if (!isFound(top)) continue;
      found.push(top);
      // The browser tells them with their attributes, such as a picture as an address.
      for (const { value } of top.attributes) room -= value.length;
    }
  }
  return found.length ? found : null;
}`;
