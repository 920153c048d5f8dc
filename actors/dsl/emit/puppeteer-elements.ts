/** Compiled code that finds elements with Puppeteer's locators, or with the kit's `find` for targets that they cannot express. */
import type { Address, Target } from "../../../protocol/dsl/target.ts";
import { type ElementTest, type Emission, patience, type Spot } from "./emission.ts";
import { constantOf, identifier, textOf } from "./expressions.ts";
import { quote } from "./literals.ts";
import { prefixed } from "./playwright-elements.ts";

export function actionLocator(emit: Emission, target: Target, spot: Spot): string {
  const selector = plainSelector(emit, target, spot);
  const locator =
    selector === null ? `${handle(emit, target, spot)}.asLocator()` : `${spot.scope}.locator(${selector})`;
  const { timeoutMs } = spot.block;
  return timeoutMs === undefined ? locator : `${locator}.setTimeout(${timeoutMs})`;
}

export function handle(emit: Emission, target: Target, spot: Spot): string {
  if ("ref" in target) return identifier(target.ref);
  const selector = plainSelector(emit, target, spot);
  const { timeoutMs } = spot.block;
  if (selector !== null) {
    const patient = timeoutMs === undefined ? "" : `.setTimeout(${timeoutMs})`;
    return `(await ${spot.scope}.locator(${selector})${patient}.waitHandle())`;
  }
  const base = baseOf(emit, target, spot, "find");
  const wait = patience(emit, spot);
  if (isStrict(emit, target))
    return `(await ${emit.kit.use("findOnly")}(${base}, ${selectorOf(emit, target, spot)}, ${wait}))`;
  const ways = [target, ...(target.or ?? [])].map((address) => wayOf(emit, address, spot));
  return `(await ${emit.kit.use("find")}(${base}, [${ways.join(", ")}], ${wait}))`;
}

/** A handle of the current match, or null. */
function peeked(emit: Emission, target: Target, spot: Spot): string {
  if ("ref" in target) return identifier(target.ref);
  const ways = [target, ...(target.or ?? [])].map((address) => wayOf(emit, address, spot));
  return `(await ${emit.kit.use("peek")}(${baseOf(emit, target, spot, "peek")}, [${ways.join(", ")}]))`;
}

export function everyHandle(emit: Emission, target: Target, spot: Spot): string {
  if ("ref" in target) return `[${identifier(target.ref)}]`;
  return `(await ${emit.kit.use("matches")}(${baseOf(emit, target, spot, "peek")}, ${selectorOf(emit, target, spot)}))`;
}

export function elementTest(emit: Emission, op: ElementTest, target: Target, spot: Spot): string {
  const element = peeked(emit, target, spot);
  const own = "ref" in target;
  const evaluated = (reader: string) => {
    const call = `await ${element}${own ? "" : "?."}${own ? "." : ""}evaluate(${reader})`;
    return own ? `(${call})` : `((${call}) ?? false)`;
  };
  switch (op) {
    case "exists":
      return own ? `(await ${element}.evaluate((node) => node.isConnected))` : `(${element} !== null)`;
    case "visible":
      return own ? `(await ${element}.isVisible())` : `((await ${element}?.isVisible()) ?? false)`;
    case "hidden":
      return own ? `!(await ${element}.isVisible())` : `!((await ${element}?.isVisible()) ?? false)`;
    case "enabled":
      return evaluated('(node) => !node.matches(":disabled")');
    case "checked":
      return evaluated(
        '(node) => (node instanceof HTMLInputElement ? node.checked : node.ariaChecked === "true")',
      );
  }
}

/** The selector of a target's first match; null if the target has frames, alternatives or other conditions. */
export function plainSelector(emit: Emission, target: Target, spot: Spot): string | null {
  if ("ref" in target) return null;
  const { frame, within, or, nth = 0 } = target;
  if (frame !== undefined || within !== undefined || or !== undefined || nth !== 0 || isStrict(emit, target))
    return null;
  return selectorOf(emit, target, spot);
}

function isStrict(emit: Emission, target: Exclude<Target, { ref: string }>): boolean {
  const strict = target.strict ?? emit.facts.document.settings?.strict ?? false;
  return strict && target.nth === undefined && target.or === undefined;
}

function baseOf(
  emit: Emission,
  target: Exclude<Target, { ref: string }>,
  spot: Spot,
  how: "find" | "peek",
): string {
  let base = spot.scope;
  const into = (address: Address) => {
    const ways = `[${wayOf(emit, address, spot)}]`;
    return how === "find"
      ? `await ${emit.kit.use("find")}(${base}, ${ways}, ${patience(emit, spot)})`
      : `await ${emit.kit.use("peek")}(${base}, ${ways})`;
  };
  for (const frame of target.frame ?? [])
    base = `await ${emit.kit.use(how === "find" ? "frameOf" : "peekFrame")}(${into(frame)})`;
  if (target.within === undefined) return base;
  return "ref" in target.within ? identifier(target.within.ref) : into(target.within);
}

function wayOf(emit: Emission, address: Address, spot: Spot): string {
  const selector = selectorOf(emit, address, spot);
  return address.nth === undefined || address.nth === 0 ? selector : `[${selector}, ${address.nth}]`;
}

function selectorOf(emit: Emission, address: Address, spot: Spot): string {
  const text = (template: string) => textOf(emit, template, spot);
  switch (address.by) {
    case "css":
      return address.shadow === true ? prefixed(">>> ", text(address.value)) : text(address.value);
    case "xpath": {
      // In an element, "//a" would search the whole document.
      const relative = address.value.startsWith("/") ? "xpath/." : "xpath/";
      return prefixed(relative, text(address.value));
    }
    case "text":
      return `${emit.kit.use(address.exact === true ? "byExactText" : "byText")}(${text(address.value)})`;
    case "role": {
      const role = `[role="${address.role}"]`;
      if (address.name === undefined) return quote(`aria/${role}`);
      const constant = constantOf(emit, address.name);
      if (constant !== null) return quote(`aria/${constant}${role}`);
      return `\`aria/\${${text(address.name)}}${role}\``;
    }
    case "label":
      return `${emit.kit.use("byLabel")}(${text(address.value)})`;
    case "placeholder":
    case "testId": {
      const name = address.by === "placeholder" ? "placeholder" : "data-testid";
      const constant = constantOf(emit, address.value);
      if (constant !== null && /^[\w .,:;!?@#$%&*()+=/'-]*$/.test(constant))
        return quote(`[${name}="${constant}"]`);
      return `${emit.kit.use("byAttribute")}(${quote(name)}, ${text(address.value)})`;
    }
  }
}
