/** Compiled code that finds elements with Playwright's locators, which wait by themselves. */
import type { Address, Target } from "../../../protocol/dsl/target.ts";
import type { ElementTest, Emission, Spot } from "./emission.ts";
import { constantOf, identifier, textOf } from "./expressions.ts";
import { insideTemplate, quote, regex } from "./literals.ts";

export function options(spot: Spot, entries: readonly string[] = [], leading = ", "): string {
  const { timeoutMs } = spot.block;
  const all = timeoutMs === undefined ? entries : [...entries, `timeout: ${timeoutMs}`];
  return all.length === 0 ? "" : `${leading}{ ${all.join(", ")} }`;
}

export function locator(emit: Emission, target: Target, spot: Spot): string {
  if ("ref" in target) return identifier(target.ref);
  const { or } = target;
  const base = baseOf(emit, target, spot);
  if (or !== undefined) {
    const ways = [target, ...or].map((address) => by(emit, base, address, spot, "all"));
    return `(await ${emit.kit.use("firstOf")}([${ways.join(", ")}]${options(spot)}))`;
  }
  const strict = target.strict ?? emit.facts.document.settings?.strict ?? false;
  return by(emit, base, target, spot, strict ? "all" : "one");
}

export function everyLocator(emit: Emission, target: Target, spot: Spot): string {
  if ("ref" in target) return identifier(target.ref);
  const { nth: _nth, ...all } = target;
  return by(emit, baseOf(emit, target, spot), all, spot, "all");
}

function presentLocator(emit: Emission, target: Target, spot: Spot): string {
  if ("ref" in target || target.or === undefined) {
    return "ref" in target
      ? identifier(target.ref)
      : by(emit, baseOf(emit, target, spot), target, spot, "one");
  }
  const base = baseOf(emit, target, spot);
  const ways = [target, ...target.or].map((address) => by(emit, base, address, spot, "all"));
  return `(await ${emit.kit.use("present")}([${ways.join(", ")}]))`;
}

export function elementTest(emit: Emission, op: ElementTest, target: Target, spot: Spot): string {
  const element = presentLocator(emit, target, spot);
  switch (op) {
    case "exists":
      return `((await ${element}.count()) > 0)`;
    case "visible":
      return `(await ${element}.isVisible())`;
    case "hidden":
      return `(await ${element}.isHidden())`;
    case "enabled":
      return `((await ${element}.count()) > 0 && (await ${element}.isEnabled()))`;
    case "checked":
      return `((await ${element}.count()) > 0 && (await ${element}.isChecked()))`;
  }
}

function baseOf(emit: Emission, target: Exclude<Target, { ref: string }>, spot: Spot): string {
  let base = spot.scope;
  for (const frame of target.frame ?? []) base = `${by(emit, base, frame, spot, "one")}.contentFrame()`;
  if (target.within === undefined) return base;
  if ("ref" in target.within) return identifier(target.within.ref);
  return by(emit, base, target.within, spot, "one");
}

function by(emit: Emission, base: string, address: Address, spot: Spot, which: "one" | "all"): string {
  const found = `${base}.${method(emit, address, spot)}`;
  if (address.nth !== undefined) return `${found}.nth(${address.nth})`;
  return which === "one" ? `${found}.first()` : found;
}

function method(emit: Emission, address: Address, spot: Spot): string {
  const text = (template: string) => textOf(emit, template, spot);
  switch (address.by) {
    case "css": {
      // Without the prefix, Playwright could read a filled-in value as another selector type.
      const fixed = constantOf(emit, address.value) !== null;
      return `locator(${fixed ? text(address.value) : prefixed("css=", text(address.value))})`;
    }
    case "xpath":
      return `locator(${prefixed("xpath=", text(address.value))})`;
    case "text": {
      if (address.exact === true) return `getByText(${text(address.value)}, { exact: true })`;
      const constant = constantOf(emit, address.value);
      if (constant === null) return `getByText(${emit.kit.use("partOf")}(${text(address.value)}))`;
      return `getByText(${regex(escaped(constant))})`;
    }
    case "role": {
      const name = address.name === undefined ? "" : `, { name: ${text(address.name)}, exact: true }`;
      return `getByRole(${quote(address.role)}${name})`;
    }
    case "label":
      return `getByLabel(${text(address.value)}, { exact: true })`;
    case "placeholder":
      return `getByPlaceholder(${text(address.value)}, { exact: true })`;
    case "testId":
      return `getByTestId(${text(address.value)})`;
  }
}

/** A text as a pattern that ignores differences in white space. */
function escaped(text: string): string {
  const plain = text
    .trim()
    .replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    .replaceAll(/\s+/g, "\\s+");
  return plain === "" ? "(?:)" : plain;
}

export function prefixed(prefix: string, code: string): string {
  if (code.startsWith('"') && code.indexOf('"', 1) !== -1 && /^"(?:[^"\\]|\\.)*"$/.test(code))
    return `"${prefix}${code.slice(1)}`;
  if (/^`(?:[^`\\]|\\.)*`$/.test(code) && !code.includes("${`")) return `\`${prefix}${code.slice(1)}`;
  return `\`${insideTemplate(prefix)}\${${code}}\``;
}
