/** Functions that run inside a page, as in in-page.ts: what a person reads of it. */
import { common } from "./in-page.ts";

/**
 * this: an element, or nothing for the whole document. Returns `{html}`, what is shown of it: only elements that have a meaning in a text,
 * without attributes but addresses; null when it is longer than `max`. A frame is `<troupe-frame>` with its place in
 * `globalThis.troupeFrames`. `{error}` for an element that is gone.
 */
export const readableHtml = `function (max) {
  ${common}
  if (this instanceof Node && !this.isConnected) return { error: "gone" };
  const kept = new Set("h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre code table thead tbody tfoot tr th td strong b em i del s hr br dl dt dd caption".split(" "));
  const skipped = new Set("script style noscript template head title link meta canvas audio video object embed datalist".split(" "));
  const unseenInPicture = new Set("title desc defs metadata symbol clipPath mask marker pattern".split(" "));
  const frames = globalThis.troupeFrames = [];
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
  let html = "";
  const add = (text) => {
    html += text;
    if (html.length > max) throw new RangeError("too long");
  };
  const isShown = (el) => {
    if (!el.checkVisibility({ opacityProperty: true })) return el.localName === "body" || getComputedStyle(el).display === "contents";
    // Words for screen readers only, which a person does not see.
    const { width, height } = el.getBoundingClientRect();
    return width > 1 || height > 1 || getComputedStyle(el).overflow === "visible";
  };
  const fieldText = (el) => {
    if (el.localName === "select") return [...el.selectedOptions].map((option) => option.label).join(", ");
    if (el.localName === "textarea") return el.value || el.placeholder;
    if (["hidden", "password", "file", "image", "checkbox", "radio", "range", "color"].includes(el.type)) return "";
    return el.value || el.placeholder;
  };
  const address = (value) => {
    if (!URL.canParse(value)) return null;
    const url = new URL(value);
    return /^(https?|mailto|tel):$/.test(url.protocol) ? url.href : null;
  };
  const contentOf = (el) => {
    // Its text has boxes, which are not drawn.
    if (getComputedStyle(el).contentVisibility === "hidden") return [];
    if (el.localName === "details" && !el.open) return [...el.children].filter(({ localName }) => localName === "summary").slice(0, 1);
    if (el.localName === "slot") {
      const assigned = el.assignedNodes();
      return assigned.length ? assigned : el.childNodes;
    }
    return el.shadowRoot ? el.shadowRoot.childNodes : el.childNodes;
  };
  // A cell over several rows or columns leaves its other places empty, so that the next ones keep their columns.
  const spans = new Map();
  const measure = ({ rows }) => {
    const columns = Math.max(0, ...[...rows].map(({ cells }) => cells.length));
    const taken = [];
    for (const { cells } of rows) {
      let at = 0;
      for (const cell of cells) {
        const from = at;
        for (; taken[at] > 0; at++) taken[at] -= 1;
        const width = Math.max(1, Math.min(cell.colSpan, columns - at));
        spans.set(cell, [at - from, width - 1]);
        for (const end = at + width; at < end; at++) taken[at] = cell.rowSpan - 1;
      }
      for (; at < taken.length; at++) taken[at] -= 1;
    }
  };
  const readAll = (nodes) => { for (const node of nodes) read(node); };
  const range = document.createRange();
  const isDrawn = (text) => {
    range.selectNode(text);
    return range.getClientRects().length > 0 && getComputedStyle(text.parentElement).visibility === "visible";
  };
  const wrapped = (name, attributes, el) => {
    add("<" + name + attributes + ">");
    readAll(contentOf(el));
    add("</" + name + ">");
  };
  const read = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      // A soft hyphen shows only where a line ends.
      if (/^\\s*$/.test(node.data) || node.parentElement === null || isDrawn(node)) add(escaped(node.data.replace(/\\u00ad/g, "")));
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const name = node.localName;
    if (skipped.has(name) || name !== "br" && name !== "slot" && !isShown(node)) return;
    if (isFrame(node)) return add("<div><troupe-frame>" + (frames.push(node) - 1) + "</troupe-frame></div>");
    if (["input", "textarea", "select"].includes(name)) return add(" " + escaped(fieldText(node)) + " ");
    if (name === "img") {
      const source = address(node.currentSrc || node.src);
      return source === null ? undefined : add('<img alt="' + escaped(node.alt) + '" src="' + escaped(source) + '">');
    }
    if (name === "a") {
      const href = address(node.href);
      return wrapped(href === null ? "span" : "a", href === null ? "" : ' href="' + escaped(href) + '"', node);
    }
    if (name === "ol" && node.start !== 1) return wrapped("ol", ' start="' + node.start + '"', node);
    if (name === "pre" && !node.querySelector("code")) {
      add("<pre><code>");
      readAll(contentOf(node));
      return add("</code></pre>");
    }
    if (name === "table") measure(node);
    const span = spans.get(node);
    if (span) {
      const [before, after] = span.map((count) => ("<" + name + "></" + name + ">").repeat(count));
      add(before);
      wrapped(name, "", node);
      return add(after);
    }
    if (node instanceof SVGElement) {
      if (unseenInPicture.has(name)) return;
      wrapped("span", "", node);
      return name === "text" ? add(" ") : undefined;
    }
    if (kept.has(name)) return wrapped(name, "", node);
    const inline = /^(inline|contents|ruby)/.test(getComputedStyle(node).display);
    wrapped(inline ? "span" : "div", "", node);
  };
  try {
    if (this instanceof Element) read(this);
    else if (document.documentElement) read(document.body || document.documentElement); // A picture or other XML has no body.
  } catch (error) {
    if (error instanceof RangeError && error.message === "too long") return { html: null };
    throw error;
  }
  return { html };
}`;

/** this: a frame element. Its place in what `readableHtml` returned last; -1 when it is not shown. */
export const framePlace = "function () { return (globalThis.troupeFrames || []).indexOf(this); }";
