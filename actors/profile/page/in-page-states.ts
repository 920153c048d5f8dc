/** Parts of `lookForChanges` (in-page-changes.ts), whose variables they use: element states without mutation events, as numbers. */

export const hash = `
  let sum = 0;
  const num = (n) => { sum = (Math.imul(sum, 0x01000193) ^ n) | 0; };
  const str = (s) => {
    for (let i = 0; i < s.length; i++) num(s.charCodeAt(i));
    num(0x10ffff);
  };
  const matches = (el, selector) => {
    try {
      return el.matches(selector);
    } catch {
      return false; // An older browser does not know the selector.
    }
  };
`;

/** States of form elements and media. Those without any trace in the DOM are `restless`: they count as changed at each look. */
export const liveState = `
  const liveNames = "input,textarea,select,button,fieldset,option,optgroup,output,dialog,img,video,audio,slot,[popover]";
  const typed = /^(date|datetime-local|month|time|week)$/;
  const restless = (el) => el.localName === "input" ? typed.test(el.type) : (el.localName === "video" || el.localName === "audio") && el.controls;
  const live = (el) => {
    sum = 0;
    num(matches(el, ":disabled") ? 1 : 0);
    if (el.willValidate) num(el.validity.valid ? 2 : matches(el, ":user-invalid") ? 4 : 3);
    switch (el.localName) {
      case "input":
        str(el.value);
        num((el.checked ? 1 : 0) + (el.indeterminate ? 2 : 0));
        break;
      case "textarea": case "output":
        str(el.value);
        break;
      case "select":
        num(el.selectedIndex * 2 + (matches(el, ":open") ? 1 : 0));
        break;
      case "option":
        num(el.selected ? 1 : 0);
        break;
      case "dialog":
        num(matches(el, ":modal") ? 2 : 0);
        break;
      case "img":
        num(el.complete && el.naturalWidth > 0 ? 1 : 0);
        break;
      case "slot":
        for (const node of el.assignedNodes()) num(serialOf(node));
    }
    if (el.hasAttribute("popover")) num(matches(el, ":popover-open") ? 1 : 0);
    return sum;
  };
`;

/** Effects of styles: display, text case, scrolling. Generated content is read only where a rule makes some, since it is slow. */
export const styleState = `
  const numbers = new Map();
  const word = (s) => {
    let n = numbers.get(s);
    if (n === undefined) numbers.set(s, n = numbers.size + 1);
    num(n);
  };
  // What is not scrolled to may not be rendered, and then is no part of the accessibility tree.
  const isSkipped = (el) => {
    const inner = [...el.children].find((child) => child.checkVisibility());
    const rect = inner ? null : el.getBoundingClientRect(); // No property says whether a mere text is rendered.
    const skipped = inner
      ? !inner.checkVisibility({ contentVisibilityAuto: true })
      : el.textContent.trim() !== "" && (rect.bottom < 0 || rect.top > innerHeight);
    if (skipped) seen.skipped.push(el);
    return skipped;
  };
  let display = "";
  const style = (el) => {
    const own = getComputedStyle(el);
    sum = 0;
    word(display = own.display);
    word(own.visibility);
    word(own.textTransform);
    word(own.contentVisibility);
    if (own.contentVisibility === "auto") num(isSkipped(el) ? 1 : 0);
    if (own.overflowX !== "visible" || own.overflowY !== "visible") {
      num((el.scrollHeight > el.clientHeight ? 1 : 0) + (el.scrollWidth > el.clientWidth ? 2 : 0));
    }
    return sum;
  };
  const pseudo = /::?(before|after)\\b/;
  const adding = (rules, found) => {
    for (const rule of rules) {
      const selector = rule.selectorText;
      if (selector !== undefined && pseudo.test(selector) && rule.style.content !== "") {
        if (rule.style.content.includes("counter")) counters = true;
        found.push(rule.parentRule?.selectorText !== undefined || /&|:scope|:host|::slotted/.test(selector)
          ? "*"
          : selector.replace(/(^|[\\s,>+~(])::?(before|after)\\b/g, "$1*").replace(/::?(before|after)\\b/g, ""));
      }
      const inner = rule.cssRules ?? rule.styleSheet?.cssRules;
      if (inner?.length) adding(inner, found);
    }
  };
  const selectorsOf = (sheet) => {
    try {
      const known = sheets.get(sheet);
      if (known?.length === sheet.cssRules.length) return known.selectors;
      const selectors = [];
      adding(sheet.cssRules, selectors);
      sheets.set(sheet, { length: sheet.cssRules.length, selectors });
      return selectors;
    } catch {
      return ["*"]; // The sheet, or one that it imports, is of another site and cannot be read.
    }
  };
  const contents = (compare) => {
    for (const root of roots) {
      const selectors = new Set(["q"]);
      for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) {
        if (!sheet.disabled) for (const selector of selectorsOf(sheet)) selectors.add(selector);
      }
      let holders;
      try {
        holders = root.querySelectorAll(selectors.has("*") ? "*" : [...selectors].join());
      } catch {
        holders = root.querySelectorAll("*");
      }
      const now = new Map();
      for (const el of holders) {
        sum = 0;
        str(getComputedStyle(el, "::before").content);
        str(getComputedStyle(el, "::after").content);
        now.set(el, sum);
      }
      const before = around.get(root);
      around.set(root, now);
      if (!compare || !before) continue;
      for (const [el, value] of now) if (before.get(el) !== value) changed.add(el);
      for (const el of before.keys()) if (!now.has(el)) changed.add(el);
    }
  };
`;
