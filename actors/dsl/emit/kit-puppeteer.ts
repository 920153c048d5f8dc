/** Functions of compiled code for Puppeteer: what its locators do not do by themselves. */
import type { KitTable } from "./kit-function.ts";
import { tabKit } from "./kit-tabs.ts";

export const puppeteerKit: KitTable = {
  Scope: {
    types: ["ElementHandle", "Frame", "Page"],
    text: `/** Where elements are looked for. */
type Scope = Page | Frame | ElementHandle<Element>;
/** A way to find an element: a selector, and the index of the match if it is not the first. */
type Way = string | [selector: string, nth: number];`,
  },
  matches: {
    uses: ["Scope"],
    types: ["ElementHandle"],
    text: `/** All matches; none during a navigation. */
async function matches(scope: Scope | null, selector: string): Promise<ElementHandle<Element>[]> {
  if (scope === null) return [];
  return scope.$$(selector).catch((error: unknown) => {
    if (/context was destroyed|detached|Cannot find context|navigat/i.test(String(error))) return [];
    throw error;
  });
}`,
  },
  peek: {
    uses: ["matches", "Scope"],
    types: ["ElementHandle"],
    text: `/** The current match of the first alternative that has one. */
async function peek(scope: Scope | null, ways: Way[]): Promise<ElementHandle<Element> | null> {
  for (const way of ways) {
    const [selector, nth] = typeof way === "string" ? [way, 0] : way;
    const found = (await matches(scope, selector))[nth];
    if (found !== undefined) return found;
  }
  return null;
}`,
  },
  until: {
    values: ["TimeoutError"],
    text: `/** Waits until a condition holds. */
async function until(what: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
  const end = timeoutMs === 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new TimeoutError(\`waited \${timeoutMs} ms for \${what}\`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}`,
  },
  find: {
    uses: ["peek", "until", "Scope"],
    types: ["ElementHandle"],
    text: `/** Waits for a match of the first alternative that has one. */
async function find(scope: Scope, ways: Way[], timeoutMs: number): Promise<ElementHandle<Element>> {
  let found: ElementHandle<Element> | null = null;
  await until(ways.join(" or "), timeoutMs, async () => {
    found = await peek(scope, ways);
    return found !== null;
  });
  if (found === null) throw new Error(\`nothing matches \${ways.join(" or ")}\`);
  return found;
}`,
  },
  findOnly: {
    uses: ["matches", "until", "Scope"],
    types: ["ElementHandle"],
    text: `/** Waits for the only match; several matches fail the step. */
async function findOnly(scope: Scope, selector: string, timeoutMs: number): Promise<ElementHandle<Element>> {
  let found: ElementHandle<Element>[] = [];
  await until(selector, timeoutMs, async () => {
    found = await matches(scope, selector);
    return found.length > 0;
  });
  const [only, ...more] = found;
  if (only === undefined || more.length > 0)
    throw new Error(\`strict mode violation: \${found.length} elements match \${selector}\`);
  return only;
}`,
  },
  frameOf: {
    types: ["ElementHandle", "Frame"],
    text: `/** The frame of an iframe. */
async function frameOf(iframe: ElementHandle<Element>): Promise<Frame> {
  const frame = await iframe.contentFrame();
  if (frame === null) throw new Error("the element is not an iframe");
  await frame.waitForFunction(() => document.readyState !== "loading");
  return frame;
}`,
  },
  peekFrame: {
    types: ["ElementHandle", "Frame"],
    text: `async function peekFrame(iframe: ElementHandle<Element> | null): Promise<Frame | null> {
  return iframe === null ? null : iframe.contentFrame();
}`,
  },
  xpathText: {
    text: `/** A text as an XPath literal, with single spaces. */
function xpathText(text: string): string {
  const plain = text.trim().replaceAll(/\\s+/g, " ");
  if (!plain.includes('"')) return \`"\${plain}"\`;
  return \`concat(\${plain.split('"').map((part) => \`"\${part}"\`).join(\`, '"', \`)})\`;
}`,
  },
  byText: {
    uses: ["xpathText"],
    text: `/** The innermost elements that contain a text. */
function byText(text: string): string {
  const holds = \`contains(normalize-space(.), \${xpathText(text)})\`;
  const button = \`.//input[(@type="submit" or @type="button") and contains(normalize-space(@value), \${xpathText(text)})]\`;
  return \`xpath/.//*[\${holds}][not(*[\${holds}])][not(self::script or self::style or self::noscript or ancestor::head)] | \${button}\`;
}`,
  },
  byExactText: {
    uses: ["xpathText"],
    text: `/** The innermost elements with exactly this text. */
function byExactText(text: string): string {
  const is = \`normalize-space(.)=\${xpathText(text)}\`;
  const button = \`.//input[(@type="submit" or @type="button") and normalize-space(@value)=\${xpathText(text)}]\`;
  return \`xpath/.//*[\${is}][not(*[\${is}])][not(self::script or self::style or self::noscript or ancestor::head)] | \${button}\`;
}`,
  },
  byLabel: {
    uses: ["xpathText"],
    text: `/** The controls of a label. */
function byLabel(label: string): string {
  const is = \`normalize-space(.)=\${xpathText(label)}\`;
  const control = "self::input or self::textarea or self::select or self::button or self::meter or self::output or self::progress";
  return [
    \`xpath/.//*[\${control}][@id=//label[\${is}]/@for or ancestor::label[\${is}]]\`,
    \`.//*[normalize-space(@aria-label)=\${xpathText(label)}]\`,
    \`.//*[@aria-labelledby=//*[\${is}]/@id]\`,
  ].join(" | ");
}`,
  },
  byAttribute: {
    text: `function byAttribute(name: string, value: string): string {
  return \`[\${name}="\${value.replaceAll(/["\\\\\\n\\r\\f]/g, (letter) => \`\\\\\${letter.codePointAt(0)?.toString(16)} \`)}"]\`;
}`,
  },
  setChecked: {
    types: ["ElementHandle"],
    text: `/** Checks or unchecks a box with a click, if needed. */
async function setChecked(box: ElementHandle<Element>, wanted: boolean, timeoutMs: number): Promise<void> {
  const isChecked = () =>
    box.evaluate((node) => (node instanceof HTMLInputElement ? node.checked : node.ariaChecked === "true"));
  if ((await isChecked()) === wanted) return;
  await box.asLocator().setTimeout(timeoutMs).click();
  if ((await isChecked()) !== wanted) throw new Error("the click did not change whether it is checked");
}`,
  },
  choose: {
    uses: ["until"],
    types: ["ElementHandle"],
    text: `/** Waits for an option of a list and selects it. */
async function choose(
  list: ElementHandle<Element>,
  option: { value?: string; label?: string; index?: number },
  timeoutMs: number,
): Promise<void> {
  await until(\`option \${JSON.stringify(option)}\`, timeoutMs, () =>
    list.evaluate((node, { value, label, index }) => {
      if (!(node instanceof HTMLSelectElement)) throw new Error("the element is not a list");
      const plain = (text: string) => text.trim().replaceAll(/\\s+/g, " ");
      const found = Array.from(node.options).find(
        (one, at) => one.value === value || (label !== undefined && plain(one.label) === plain(label)) || at === index,
      );
      if (found === undefined || found.disabled) return false;
      found.selected = true;
      node.dispatchEvent(new Event("input", { bubbles: true }));
      node.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    }, option),
  );
}`,
  },
  isList: {
    types: ["ElementHandle"],
    text: `async function isList(element: ElementHandle<Element>): Promise<boolean> {
  return element.evaluate((node) => node.nodeName === "SELECT");
}`,
  },
  ...tabKit("(await page.browserContext().pages())"),
  popupOf: {
    types: ["Page"],
    values: ["TimeoutError"],
    text: `/** The next window that a page opens. */
function popupOf(page: Page, timeoutMs: number): Promise<Page> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new TimeoutError(\`waited \${timeoutMs} ms for a window\`));
    const timer = timeoutMs === 0 ? undefined : setTimeout(late, timeoutMs);
    page.once("popup", (popup) => {
      clearTimeout(timer);
      if (popup === null) reject(new Error("the window has closed"));
      else resolve(popup);
    });
  });
}`,
  },
  downloadOf: {
    types: ["Page"],
    values: ["TimeoutError"],
    text: `/** The path of the next file that a page downloads, when it is complete. */
async function downloadOf(page: Page, directory: string, timeoutMs: number): Promise<{ done: Promise<string> }> {
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: directory, eventsEnabled: true });
  const done = new Promise<string>((resolve, reject) => {
    const late = () => reject(new TimeoutError(\`waited \${timeoutMs} ms for a download\`));
    const timer = timeoutMs === 0 ? undefined : setTimeout(late, timeoutMs);
    let name = "";
    session.on("Browser.downloadWillBegin", (event) => {
      name = event.suggestedFilename;
    });
    session.on("Browser.downloadProgress", (event) => {
      if (event.state === "inProgress") return;
      clearTimeout(timer);
      if (event.state === "completed") resolve(\`\${directory}/\${name}\`);
      else reject(new Error("the download was cancelled"));
    });
  });
  return { done: done.finally(() => session.detach()) };
}`,
  },
};
