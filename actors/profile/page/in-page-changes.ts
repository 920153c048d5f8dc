/** Finds a frame's changes since the last look, by observing mutations and comparing the rest. It may report too much, never too little. */

import { above } from "./in-page.ts";
import { hash, liveState, styleState } from "./in-page-states.ts";

/** The result of `lookForChanges`. */
export interface Look {
  /** `first`: nothing to compare with. `part`: only the subtrees of `tops` changed. `all`: too many or too far-reaching changes. */
  state: "first" | "same" | "part" | "all";
  tops: number;
  /** Number in `checks`: custom elements, whose own node may change without a trace in the DOM. */
  checks: number;
  /** Number in `suspects`: new candidates for a closed shadow root, whose content is invisible here. */
  suspects: number;
}

/** The elements that the last look found to be without their content, which is not rendered; some that hold only text may have it. Null for none. */
export const skippedElements =
  "function () { return globalThis.troupeSeen?.skipped.length ? globalThis.troupeSeen.skipped.slice(0, 50) : null; }";

/** Returns one element of the last look. */
export const seenElement = `function (list, at) { return globalThis.troupeSeen[list][at]; }`;

/** Calls `lookForChanges` again, compiled in the world before. */
export const lookAgain = `function () { return globalThis.troupeLook ? globalThis.troupeLook() : null; }`;

/** `topOf`: the outermost element whose name or value includes the changed one. `reaches`: whether subtrees refer to elements outside. */
const subtrees = `
  ${above}
  const within = (outer, node) => {
    for (; node; node = above(node)) if (node === outer) return true;
    return false;
  };
  const gathers = "a,button,label,fieldset,table,figure,select,datalist,details,summary,h1,h2,h3,h4,h5,h6,svg,map,object,audio,video,[contenteditable],[popover],[aria-owns],[aria-activedescendant]";
  const dress = "span,b,i,em,strong,u,s,small,font,big,tt,bdi,bdo,wbr,slot,tspan";
  const plainRoles = new Set("alert application article banner complementary contentinfo directory document feed form generic group list listitem log main navigation none note presentation region search section status tabpanel toolbar".split(" "));
  const topOf = (el) => {
    let top = el;
    for (let node = el; node; node = above(node)) {
      const role = node.getAttribute("role");
      if (role !== null && !plainRoles.has(role.trim()) || node.matches(gathers)) top = node;
    }
    // Purely visual elements have no node of their own.
    while (top.matches(dress) && above(top)) top = above(top);
    return top;
  };
  const ties = "[for],[aria-labelledby],[aria-owns],[aria-activedescendant],[list],[popovertarget],[commandfor],[usemap]";
  const reaches = (tops) => {
    for (const top of tops) {
      if (top === document.documentElement || top === document.body || top.localName === "dialog" || top.hasAttribute("aria-modal")) return true;
    }
    for (const root of roots) for (const el of root.querySelectorAll(ties)) {
      for (const name of ["for", "aria-labelledby", "aria-owns", "aria-activedescendant", "list", "popovertarget", "commandfor", "usemap"]) {
        const value = el.getAttribute(name);
        if (value === null) continue;
        if (value === "") return true; // A script set the element; which one is unknown.
        for (const id of value.trim().split(/\\s+/)) {
          const other = name === "usemap" ? root.querySelector("map[name=" + CSS.escape(id.slice(1)) + "]") : root.getElementById(id);
          if (!other) continue;
          for (const top of tops) {
            if (within(top, el) !== within(top, other)) return true;
            if (name === "aria-labelledby" && within(other, top)) return true;
          }
        }
      }
    }
    return false;
  };
`;

const changedMax = 50;
const topsMax = 8;
const checksMax = 64;
const suspectsMax = 256;

const mutations = `
  const mute = new Set(["script", "style", "link", "meta", "template", "noscript", "base", "head", "title"]);
  const isMute = (node) => node.nodeType === 8 || node.nodeType === 1 && mute.has(node.localName) && getComputedStyle(node).display === "none";
  const wasMute = (node) => node.nodeType === 8 || node.nodeType === 1 && mute.has(node.localName);
  const note = (records) => {
    for (const record of records) {
      let el = record.target;
      if (record.type === "childList") {
        if ([...record.addedNodes].every(isMute) && [...record.removedNodes].every(wasMute)) continue;
        moved = true;
      }
      if (el.nodeType === 11) el = el.host;
      else if (el.nodeType !== 1) el = el.parentElement;
      if (!el) over = true;
      else if (!isMute(el) && !el.closest("head")) changed.add(el);
      if (changed.size > ${changedMax}) over = true;
      if (over) return observer.disconnect();
    }
  };
  const observer = new MutationObserver(note);
  const watch = (root) => observer.observe(root, { childList: true, attributes: true, characterData: true, subtree: true });
`;

const listing = `
  const hosts = new Set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "));
  const list = () => {
    const kept = new Map();
    for (let at = 0; at < all.length; at++) kept.set(all[at], styles[at]);
    all = []; alive = []; empty = []; dashed = []; roots = [];
    const into = (root) => {
      roots.push(root);
      for (const el of root.querySelectorAll(liveNames)) alive.push(el);
      for (const el of root.querySelectorAll("*")) {
        const name = el.localName;
        if (mute.has(name) && getComputedStyle(el).display === "none") continue;
        all.push(el);
        if (name.includes("-")) dashed.push(el);
        if (!el.firstElementChild && (name.includes("-") || hosts.has(name) && !el.firstChild)) empty.push(el);
        const open = el.shadowRoot;
        if (open === null) continue;
        hosting.set(el, open);
        into(open);
      }
    };
    into(document);
    styles = all.map((el) => kept.get(el));
    seen.roots = roots;
  };
`;

export const lookForChanges = `function () {
  const seen = { tops: [], checks: [], suspects: [], skipped: [], roots: [] };
  const states = new WeakMap(), asked = new WeakMap(), serials = new WeakMap();
  const sheets = new WeakMap(), around = new WeakMap(), hosting = new WeakMap();
  let all = [], styles = [], alive = [], empty = [], dashed = [], roots = [], serial = 0;
  let changed = new Set(), moved = true, over = false, counters = false, focused = null, hadFocus = false, place = "", fresh = true;
  const serialOf = (node) => serials.get(node) ?? (serials.set(node, ++serial), serial);
  ${hash}
  ${liveState}
  ${styleState}
  ${subtrees}
  ${mutations}
  ${listing}
  const suspect = (el, size) => {
    if (fresh || asked.get(el) === size || seen.suspects.length > ${suspectsMax}) return;
    if (seen.suspects.length < ${suspectsMax}) asked.set(el, size);
    seen.suspects.push(el);
  };
  const focus = () => {
    let el = document.activeElement;
    while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
    return el;
  };
  const compareAll = () => {
    const present = focus(), mine = document.hasFocus();
    if (present !== focused || mine !== hadFocus) {
      for (const el of [present, focused]) if (el && el.isConnected && el !== document.body) changed.add(el);
    }
    focused = present; hadFocus = mine;
    seen.skipped = [];
    for (let at = 0; at < all.length; at++) {
      const el = all[at];
      if (el.shadowRoot !== null && !hosting.has(el)) {
        changed.add(el);
        moved = true;
      }
      const before = styles[at];
      const now = styles[at] = style(el);
      if (before !== undefined && before !== now) changed.add(el);
      // No style: its parent may have a closed shadow root without a slot for it.
      if (display === "" && el.parentElement && !el.parentElement.shadowRoot) suspect(el.parentElement, -1);
    }
    for (const el of alive) {
      if (restless(el)) changed.add(el);
      const before = states.get(el);
      const now = live(el);
      states.set(el, now);
      if (before !== undefined && before !== now) changed.add(el); // A new element counts as a change of its parent.
    }
    contents(!fresh);
    // Empty, but it has a height.
    for (const el of empty) if (!el.shadowRoot && el.offsetHeight > 0) suspect(el, el.offsetHeight);
    for (const el of dashed) if (el.matches(":defined")) seen.checks.push(el);
  };
  const decide = (here) => {
    if (fresh) return "first";
    if (over || here !== place || changed.size > ${changedMax} || !document.documentElement) return "all";
    if (seen.checks.length > ${checksMax} || seen.suspects.length > ${suspectsMax}) return "all";
    const living = [...changed].filter((el) => el.isConnected);
    if (changed.size === 0) return "same";
    const tops = [...new Set(living.map(topOf))];
    const outermost = tops.filter((top) => !tops.some((other) => other !== top && within(other, top)));
    if (outermost.length > ${topsMax} || counters || reaches(outermost)) return "all";
    seen.tops = outermost;
    return "part";
  };
  const look = () => {
    note(observer.takeRecords());
    seen.tops = []; seen.checks = []; seen.suspects = [];
    if (moved) list();
    moved = false;
    compareAll();
    if (moved) {
      list();
      compareAll();
    }
    const full = document.fullscreenElement;
    const here = [document.URL, document.baseURI, document.designMode, full ? serialOf(full) : 0].join(" ");
    const state = decide(here);
    // Observing a root twice has no effect.
    for (const root of roots) watch(root);
    place = here; fresh = false; changed = new Set(); over = false; moved = false;
    return { state, tops: seen.tops.length, checks: seen.checks.length, suspects: Math.min(seen.suspects.length, ${suspectsMax}) };
  };
  globalThis.troupeSeen = seen;
  globalThis.troupeLook = look;
  return look();
}`;
