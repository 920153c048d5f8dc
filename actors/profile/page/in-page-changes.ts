/**
 * The function that tells, inside a frame, what has changed since it last looked: whether a snapshot may use the
 * accessibility nodes that it has. It goes by everything that those nodes are made of, not by events: values and check marks
 * that scripts set, styles, and media queries announce themselves to nobody. It may say "changed" for nothing, but must not
 * say "same" wrongly. Runs in our isolated world, where it also keeps what it saw.
 */

/** What `lookForChanges` answers. */
export interface Look {
  /** `first`: nothing to compare with. `part`: only `tops` subtrees differ. `all`: too much, or too far-reaching. */
  state: "first" | "same" | "part" | "all";
  /** How many elements wait in `globalThis.troupeSeen.tops`, topmost first: query the nodes of each anew. */
  tops: number;
  /** How many wait in `checks`: custom elements, whose own node may have changed where only the browser sees it. */
  checks: number;
  /** How many wait in `suspects`: each may hold a closed shadow root, of which nothing is seen. Asked about once. */
  suspects: number;
}

/** The elements that a look left behind, one by one. */
export const seenElement = `function (list, at) { return globalThis.troupeSeen[list][at]; }`;

/** Calls the function below, which stays in the world so that it is compiled once. */
export const lookAgain = `function () { return globalThis.troupeLook ? globalThis.troupeLook() : null; }`;

/** Two hashes of 32 bits over all of an element that matters; children count by their identity. */
const hashes = `
  let a = 0, b = 0;
  const num = (n) => {
    a = (Math.imul(a, 31) + n) | 0;
    b = Math.imul(b ^ n, 0x01000193);
  };
  const str = (s) => {
    for (let i = 0; i < s.length; i++) num(s.charCodeAt(i));
    num(0x10ffff);
  };
  const matches = (el, selector) => {
    try {
      return el.matches(selector);
    } catch {
      return false; // An older browser, which does not know it.
    }
  };
`;

/**
 * What an element's accessibility depends on beside its attributes and children. An element whose state has no trace in the
 * DOM (players' controls, half-typed dates) is \`restless\`: taken to have changed at every look.
 */
const liveState = `
  const restless = /^(date|datetime-local|month|time|week)$/;
  const controls = new Set(["input", "textarea", "select", "button", "fieldset", "option", "optgroup", "output", "object"]);
  const live = (el, name) => {
    let moving = false;
    if (controls.has(name)) {
      num(matches(el, ":disabled") ? 1 : 0);
      if (el.willValidate) num(el.validity.valid ? 2 : matches(el, ":user-invalid") ? 4 : 3);
      if (name === "input") {
        str(el.value);
        num((el.checked ? 1 : 0) + (el.indeterminate ? 2 : 0));
        moving = restless.test(el.type);
      } else if (name === "textarea" || name === "output") str(el.value);
      else if (name === "select") num(el.selectedIndex * 2 + (matches(el, ":open") ? 1 : 0));
      else if (name === "option") num(el.selected ? 1 : 0);
    } else if (name === "dialog") num(matches(el, ":modal") ? 2 : 0);
    else if (name === "img") num(el.complete && el.naturalWidth > 0 ? 1 : 0);
    else if (name === "video" || name === "audio") moving = el.controls;
    else if (name === "slot") for (const node of el.assignedNodes()) num(node.nodeType === 1 ? serialOf(node) : node.data.length);
    if (el.hasAttribute("popover")) num(matches(el, ":popover-open") ? 1 : 0);
    if (el === focused) num(document.hasFocus() ? 7 : 8);
    return moving;
  };
`;

/** What styles say of it: whether it is there at all, what it adds to the text, whether it scrolls and so takes the focus. */
const styleState = `
  const style = (el) => {
    const own = getComputedStyle(el);
    const display = own.display;
    str(display);
    if (display === "none") return display;
    str(own.visibility);
    str(own.textTransform);
    str(own.contentVisibility);
    if (own.overflowX !== "visible" || own.overflowY !== "visible") {
      num((el.scrollHeight > el.clientHeight ? 1 : 0) + (el.scrollWidth > el.clientWidth ? 2 : 0));
    }
    for (const pseudo of ["::before", "::after"]) {
      const { content } = getComputedStyle(el, pseudo);
      if (content === "none" || content === "normal") continue;
      str(content);
      if (content.includes("counter")) counters = true;
    }
    return display;
  };
`;

/**
 * The subtree to read anew for a changed element: from the outermost element around it that takes its name or value from
 * what it contains. \`reaches\` finds what ties a subtree to elements elsewhere: then no part will do.
 */
const subtrees = `
  const above = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  const within = (outer, node) => {
    for (; node; node = above(node)) if (node === outer) return true;
    return false;
  };
  const gathers = "a,button,label,fieldset,table,figure,select,datalist,details,summary,h1,h2,h3,h4,h5,h6,svg,map,object,audio,video,[contenteditable],[popover],[aria-owns],[aria-activedescendant]";
  const plainRoles = new Set("alert application article banner complementary contentinfo directory document feed form generic group list listitem log main navigation none note presentation region search section status tabpanel toolbar".split(" "));
  const topOf = (el) => {
    let top = el;
    for (let node = el; node; node = above(node)) {
      const role = node.getAttribute("role");
      if (role !== null && !plainRoles.has(role.trim()) || node.matches(gathers)) top = node;
    }
    return top;
  };
  const ties = "[for],[aria-labelledby],[aria-owns],[aria-activedescendant],[list],[popovertarget],[commandfor],[usemap]";
  const reaches = (tops) => {
    if (counters) return true;
    for (const top of tops) {
      if (top === document.documentElement || top === document.body || top.localName === "dialog" || top.hasAttribute("aria-modal")) return true;
    }
    for (const root of roots) for (const el of root.querySelectorAll(ties)) {
      for (const name of ["for", "aria-labelledby", "aria-owns", "aria-activedescendant", "list", "popovertarget", "commandfor", "usemap"]) {
        const value = el.getAttribute(name);
        if (value === null) continue;
        if (value === "") return true; // Tied to elements by script; which, does not show.
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

/** How many subtrees are read one by one, and how many elements are asked about, before all is read instead. */
const changedMax = 50;
const topsMax = 8;
const checksMax = 64;
const suspectsMax = 256;

/** Answers a `Look`. */
export const lookForChanges = `function () {
  const seen = { known: new WeakMap(), asked: new WeakMap(), serial: 0, tops: [], checks: [], suspects: [] };
  let focused = null, counters = false, roots = [], changed = [], fresh = true;
  ${hashes}
  const entryOf = (el) => {
    let entry = seen.known.get(el);
    if (!entry) seen.known.set(el, (entry = { serial: ++seen.serial, a: 0, b: 0, isNew: true }));
    return entry;
  };
  const serialOf = (el) => entryOf(el).serial;
  ${liveState}
  ${styleState}
  ${subtrees}
  const mute = new Set(["script", "style", "link", "meta", "template", "noscript", "base", "head", "title"]);
  const hosts = new Set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "));
  const suspect = (el, size) => {
    if (fresh || seen.asked.get(el) === size || seen.suspects.length > ${suspectsMax}) return;
    if (seen.suspects.length < ${suspectsMax}) seen.asked.set(el, size);
    seen.suspects.push(el);
  };
  const visit = (el, hidden) => {
    const name = el.localName;
    const entry = entryOf(el);
    a = entry.serial; b = 0;
    str(name);
    for (const { name, value } of el.attributes) {
      str(name);
      str(value);
    }
    const display = hidden ? "none" : style(el);
    const moving = live(el, name);
    if (el === document.documentElement) {
      str(document.baseURI);
      str(document.URL);
      str(document.designMode);
      if (document.fullscreenElement) num(serialOf(document.fullscreenElement));
    }
    const gone = display === "none";
    const open = el.shadowRoot;
    if (open) roots.push(open);
    else if (!gone && !el.firstElementChild && (hosts.has(name) && !el.firstChild || name.includes("-")) && el.offsetHeight > 0) {
      suspect(el, el.offsetHeight); // Empty, and yet there is something.
    }
    if (name.includes("-") && el.matches(":defined")) seen.checks.push(el);
    // Without a style in a place that has one: it is in no slot of a shadow root that is not open.
    const parent = el.parentElement;
    if (display === "" && !hidden && parent && !parent.shadowRoot) suspect(parent, -1);
    const inner = [];
    for (const root of open ? [open, el] : [el]) {
      num(1);
      for (let node = root.firstChild; node; node = node.nextSibling) {
        if (node.nodeType === 3) str(node.data);
        else if (node.nodeType === 1) {
          if (mute.has(node.localName) && getComputedStyle(node).display === "none") continue;
          inner.push(node);
          num(serialOf(node));
        }
      }
    }
    if (moving || !entry.isNew && (entry.a !== a || entry.b !== b)) changed.push(el);
    entry.a = a; entry.b = b; entry.isNew = false;
    for (const node of inner) visit(node, gone);
  };
  const look = () => {
    focused = document.activeElement;
    while (focused && focused.shadowRoot && focused.shadowRoot.activeElement) focused = focused.shadowRoot.activeElement;
    counters = false; roots = [document]; changed = []; seen.tops = []; seen.checks = []; seen.suspects = [];
    if (document.documentElement) visit(document.documentElement, false);
    const answer = (state) => {
      fresh = false;
      return { state, tops: seen.tops.length, checks: seen.checks.length, suspects: Math.min(seen.suspects.length, ${suspectsMax}) };
    };
    if (fresh) return answer("first");
    if (!document.documentElement || seen.checks.length > ${checksMax} || seen.suspects.length > ${suspectsMax}) return answer("all");
    if (changed.length === 0) return answer("same");
    if (changed.length > ${changedMax}) return answer("all");
    const tops = [...new Set(changed.map(topOf))];
    const outermost = tops.filter((top) => !tops.some((other) => other !== top && within(other, top)));
    if (outermost.length > ${topsMax} || reaches(outermost)) return answer("all");
    seen.tops = outermost;
    return answer("part");
  };
  globalThis.troupeSeen = seen;
  globalThis.troupeLook = look;
  return look();
}`;
