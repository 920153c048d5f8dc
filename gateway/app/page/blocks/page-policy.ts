/** What the page's policy refuses of Blockly's ways with styles, done so that it does not. */

/**
 * Blockly writes style elements, which the page's policy refuses: what it would write is kept in elements that mean nothing,
 * and handed to the page as a style sheet object.
 */
export function withStyles<Result>(make: () => Result): Result {
  const caught: HTMLElement[] = [];
  const original = document.createElement;
  const createElement = (name: string) => {
    if (name !== "style") return original.call(document, name);
    const kept = original.call(document, "blockly-style");
    caught.push(kept);
    return kept;
  };
  Reflect.set(document, "createElement", createElement);
  try {
    return make();
  } finally {
    Reflect.deleteProperty(document, "createElement");
    const sheets = caught.map((element) => {
      const sheet = new CSSStyleSheet();
      // Its pictures lie on a server of its makers; the two that it would show here are of no use.
      sheet.replaceSync((element.textContent ?? "").replaceAll(/url\([^)]*\)/g, "none"));
      return sheet;
    });
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...sheets];
  }
}

/** Nor does the policy take style attributes; the same text through the style object is well. */
export function allowStyleAttributes(): void {
  const { setAttribute } = Element.prototype;
  SVGElement.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
}
