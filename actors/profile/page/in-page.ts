/** Functions that run inside a page, in our isolated world. They are text, because a compiler's helpers do not exist there. */

/** An element's parent across shadow boundaries. */
export const above = `
  const above = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
`;

/** Helpers: an element's name for messages, and what is around it. */
export const common = `
  const describe = (el) => {
    let text = el.localName;
    if (el.id) text += "#" + el.id;
    else if (typeof el.className === "string" && el.className.trim()) text += "." + el.className.trim().split(/\\s+/).slice(0, 2).join(".");
    const label = (el.getAttribute("aria-label") || el.innerText || el.type !== "password" && el.value || "").toString().trim().replace(/\\s+/g, " ");
    return "<" + text + ">" + (label ? ' "' + (label.length > 40 ? label.slice(0, 40) + "…" : label) + '"' : "");
  };
  ${above}
  const isInert = (el) => {
    let node = el;
    while (node && !node.inert) node = above(node);
    return Boolean(node);
  };
  const rootsAround = (el) => {
    const roots = [];
    for (let root = el.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode()) roots.push(root);
    return roots;
  };
  // Roots that are closed to scripts are found only from inside.
  const rootOf = (host, known) => host.shadowRoot || known.find((root) => root.host === host) || null;
  const deepAt = (x, y, known = []) => {
    let hit = document.elementFromPoint(x, y);
    for (let root = hit && rootOf(hit, known); root; root = rootOf(hit, known)) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner.getRootNode() !== root) break;
      hit = inner;
    }
    return hit;
  };
  const isFrame = (el) => ["iframe", "frame", "object", "embed", "fencedframe"].includes(el.localName);
  const frame = () => new Promise((done) => {
    requestAnimationFrame(done);
    setTimeout(done, 200); // A hidden page draws no frames.
  });
`;

/** Refuses what is no element of the document. */
export const living = `
  if (!this.isConnected) return { error: "gone" };
  if (!(this instanceof Element)) return { error: "not-element" };
`;

/** Uses `common`. `el`: the element, or the control whose label it is. */
export const labelled = `
  ${living}
  const el = this.localName === "label" && this.control ? this.control : this;
  const what = describe(el);
`;

/** this: the element for a file, or its label. Returns `{several}`, whether it takes several, or `{error, …}`. */
export const fileInput = `function () {
  ${common}
  ${labelled}
  if (el.localName !== "input" || el.type !== "file") return { error: "not-file-input", what };
  if (el.matches(":disabled")) return { error: "disabled", what };
  return el.webkitdirectory ? { error: "folder-input", what } : { several: el.multiple };
}`;

/** this: a control or its label. Returns the control. */
export const controlOf = `function () {
  ${common}
  ${labelled}
  return el;
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

/** Resolves after the tasks that the last input queued, such as a form's submission. */
export const nextTask = "new Promise((done) => setTimeout(done, 0))";
