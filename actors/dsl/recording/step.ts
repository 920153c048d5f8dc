/** Converts one recorded step to blocks. */
import { numberField, type RecordedStep, refuse, textField } from "./fields.ts";
import type { Keys } from "./keys.ts";
import { targetOf } from "./selectors.ts";

export type ConvertedBlock = { kind: string } & Record<string, unknown>;

export interface Converted {
  blocks: ConvertedBlock[];
  remarks: string[];
}

const types =
  "change, click, close, customStep, doubleClick, emulateNetworkConditions, hover, keyDown, keyUp, navigate, scroll, setViewport, waitForElement, waitForExpression";

export function convertStep(step: RecordedStep, keys: Keys, last: boolean): Converted {
  const converted = converter(step, keys, last);
  const waits = assertedAddresses(step)
    .filter((url) => !isOwnAddress(step, url))
    .map((url): ConvertedBlock => ({ kind: "waitUrl", matches: exactly(url) }));
  return { ...converted, blocks: [...converted.blocks, ...waits] };
}

function converter(step: RecordedStep, keys: Keys, last: boolean): Converted {
  switch (step.type) {
    case "navigate":
      return plain({ kind: "navigate", url: literal(textField(step, "url")) });
    case "click":
    case "doubleClick":
      return click(step);
    case "change": {
      const { target, remarks } = targetOf(step, true);
      const text = literal(textField(step, "value"));
      return { blocks: [{ kind: "type", target, text, auto: true }], remarks };
    }
    case "hover": {
      const { target, remarks } = targetOf(step, false);
      return { blocks: [{ kind: "hover", target }], remarks };
    }
    case "keyDown": {
      const { press, remark } = keys.down(textField(step, "key"));
      return press === null ? leftOut(remark) : plain({ kind: "pressKey", key: press });
    }
    case "keyUp":
      return leftOut(keys.up(textField(step, "key")).remark);
    case "scroll":
      return scroll(step);
    case "waitForElement":
      return waitForElement(step);
    case "waitForExpression":
      return plain({ kind: "waitFunction", expression: textField(step, "expression") });
    case "setViewport":
      return leftOut("the size of the viewport is left out; the profile has its own");
    case "emulateNetworkConditions":
      return leftOut("the network's conditions are left out; the profile has its own");
    case "close":
      return last ? leftOut("the tab stays open; it is the profile's") : plain({ kind: "closeTab" });
    case "customStep":
      return leftOut(
        `the custom step ${JSON.stringify(step.fields.name ?? "")} is left out; it is not supported`,
      );
    default:
      return refuse(`${step.pointer}/type`, `there is no recorded step "${step.type}"; known are ${types}`);
  }
}

function plain(block: ConvertedBlock): Converted {
  return { blocks: [block], remarks: [] };
}

function leftOut(remark: string | null): Converted {
  return remark === null
    ? { blocks: [], remarks: [] }
    : { blocks: [{ kind: "comment", text: `Recorded, but ${remark}.` }], remarks: [remark] };
}

/** Recorded texts contain no templates: escape braces. */
function literal(text: string): string {
  return text.replaceAll("{{", "\\{{");
}

function exactly(url: string): string {
  return `^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;
}

function assertedAddresses({ fields }: RecordedStep): string[] {
  const events: unknown[] = Array.isArray(fields.assertedEvents) ? fields.assertedEvents : [];
  return events.flatMap((event) => {
    if (typeof event !== "object" || event === null || !("url" in event)) return [];
    return typeof event.url === "string" && event.url !== "" ? [event.url] : [];
  });
}

/**
 * True if a navigation asserts its own address. Skip that wait: `navigate` already waits, and the page may change its address at once.
 */
function isOwnAddress({ type, fields }: RecordedStep, url: string): boolean {
  return type === "navigate" && typeof fields.url === "string" && hrefOf(fields.url) === hrefOf(url);
}

function hrefOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

const buttons: Record<string, string> = { primary: "left", auxiliary: "middle", secondary: "right" };

function click(step: RecordedStep): Converted {
  const { target, remarks } = targetOf(step, false);
  const { button = "primary", deviceType = "mouse" } = step.fields;
  const known = typeof button === "string" && Object.hasOwn(buttons, button) ? buttons[button] : undefined;
  if (known === undefined) remarks.push(`the button ${JSON.stringify(button)} is treated as the left one`);
  if (deviceType !== "mouse") remarks.push(`${JSON.stringify(deviceType)} is treated as a mouse`);
  const [x, y] = [numberField(step, "offsetX"), numberField(step, "offsetY")];
  const place = x === null || y === null ? {} : { position: { x: Math.round(x), y: Math.round(y) } };
  return {
    blocks: [
      {
        kind: "click",
        target,
        ...(known === undefined || known === "left" ? {} : { button: known }),
        ...(step.type === "doubleClick" ? { count: 2 } : {}),
        ...place,
      },
    ],
    remarks,
  };
}

function scroll(step: RecordedStep): Converted {
  const [x, y] = [numberField(step, "x"), numberField(step, "y")];
  const to = { ...(x === null ? {} : { x: Math.round(x) }), ...(y === null ? {} : { y: Math.round(y) }) };
  if (step.fields.selectors === undefined) return plain({ kind: "scroll", to });
  const { target, remarks } = targetOf(step, false);
  return { blocks: [{ kind: "scroll", target, to }], remarks };
}

const operators: Record<string, string> = { ">=": "gte", "==": "eq", "<=": "lte" };

function waitForElement(step: RecordedStep): Converted {
  const { target, remarks } = targetOf(step, false);
  const { operator = ">=", visible, properties, attributes } = step.fields;
  const value = numberField(step, "count") ?? 1;
  const op =
    typeof operator === "string" && Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (op === undefined)
    refuse(`${step.pointer}/operator`, `must be one of >=, ==, <=, got ${JSON.stringify(operator)}`);
  if (properties !== undefined || attributes !== undefined)
    remarks.push("properties and attributes of the element are not checked");
  if (op === "gte" && value <= 1) {
    const state = visible === false ? "hidden" : visible === true ? "visible" : "attached";
    return { blocks: [{ kind: "waitElement", target, state }], remarks };
  }
  if (visible !== undefined) remarks.push("all matches are counted, visible or not");
  return { blocks: [{ kind: "waitElement", target, count: { op, value } }], remarks };
}
