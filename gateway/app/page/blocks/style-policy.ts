/** Makes Blockly's styles comply with the page's content security policy. */

/** The policy refuses style elements: those that Blockly creates become constructed style sheets. */
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
      // Its images are on its maker's server, which the policy refuses; the editor needs none of them.
      sheet.replaceSync((element.textContent ?? "").replaceAll(/url\([^)]*\)/g, "none"));
      return sheet;
    });
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...sheets];
  }
}

/** The policy refuses style attributes, but not the same text through the style object. */
export function allowStyleAttributes(): void {
  const { setAttribute } = Element.prototype;
  SVGElement.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
}
