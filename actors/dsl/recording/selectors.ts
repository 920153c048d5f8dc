/** Converts recorded selectors (`aria/`, `text/`, `xpath/`, `pierce/`, CSS) to targets with alternatives. */
import type { Address, LoopItem, Role, Target } from "../../../protocol/dsl/target.ts";
import { definitions } from "../schema.ts";
import { frameField, type RecordedStep, refuse, selectorsField } from "./fields.ts";

export interface ConvertedTarget {
  target: Exclude<Target, LoopItem>;
  remarks: string[];
}

interface Way {
  address: Address;
  within: Address | null;
  /** Matches more or less than the recorded selector. */
  approximate: boolean;
}

const alternativesMax = 10;

/** The target of a step. With `field`, an accessible name counts as a label rather than a text. Throws `invalid`. */
export function targetOf(step: RecordedStep, field: boolean): ConvertedTarget {
  const ways = selectorsField(step).flatMap((path) => wayOf(path, field) ?? []);
  const plain = ways.filter(({ within }) => within === null);
  const sorted = (list: Way[]) => [
    ...list.filter((way) => !way.approximate),
    ...list.filter((way) => way.approximate),
  ];
  const [first, ...others] = sorted(plain.length > 0 ? plain : ways.slice(0, 1));
  if (first === undefined) return refuse(`${step.pointer}/selectors`, "none of the selectors is supported");
  const remarks: string[] = [];
  if (first.approximate)
    remarks.push(
      `the accessible name is treated as ${first.address.by === "label" ? "a label" : "the element's text"}`,
    );
  const frame = frameField(step);
  if (frame.length > 0) remarks.push(`the frame is found by its position (${frame.join(", ")}) on the page`);
  const distinct = others.filter(
    ({ address }, index) =>
      others.findIndex((one) => JSON.stringify(one.address) === JSON.stringify(address)) === index,
  );
  const or = distinct.map(({ address }) => address).slice(0, alternativesMax);
  return {
    target: {
      ...first.address,
      ...(first.within === null ? {} : { within: first.within }),
      ...(frame.length === 0
        ? {}
        : { frame: frame.map((nth): Address => ({ by: "css", value: "iframe, frame", nth })) }),
      ...(or.length === 0 ? {} : { or }),
    },
    remarks,
  };
}

function wayOf(path: string[], field: boolean): Way | null {
  const [first, last] = [path[0], path.at(-1)];
  if (first === undefined || last === undefined) return null;
  const end = addressOf(last, field, path.length > 1);
  if (end === null || path.length === 1) return end === null ? null : { ...end, within: null };
  const begin = addressOf(first, field, false);
  return begin === null ? null : { ...end, within: begin.address };
}

/** Recorded texts contain no templates: escape braces. */
function plainText(text: string): string {
  return text.replaceAll("{{", "\\{{");
}

function addressOf(
  selector: string,
  field: boolean,
  shadow: boolean,
): { address: Address; approximate: boolean } | null {
  const [, prefix = "", rest = selector] = selector.match(/^(aria|text|xpath|pierce)\/(.*)$/s) ?? [];
  const value = plainText(rest);
  if (value.trim() === "") return null;
  switch (prefix) {
    case "aria":
      return ariaAddress(rest, field);
    case "text":
      return { address: { by: "text", value }, approximate: false };
    case "xpath":
      return { address: { by: "xpath", value }, approximate: false };
    case "pierce":
      return { address: { by: "css", value, shadow: true }, approximate: false };
    default:
      return { address: { by: "css", value, ...(shadow ? { shadow } : {}) }, approximate: false };
  }
}

function ariaAddress(text: string, field: boolean): { address: Address; approximate: boolean } | null {
  const attributes = new Map(
    [...text.matchAll(/\[\s*(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')\s*\]/g)].map((match) => [
      match[1],
      match[2] ?? match[3] ?? "",
    ]),
  );
  const name = plainText(
    attributes.get("name") ?? text.replaceAll(/\[\s*\w+\s*=\s*(?:"[^"]*"|'[^']*')\s*\]/g, ""),
  ).trim();
  const given = attributes.get("role");
  const role = given === "image" ? "img" : given;
  if (role !== undefined && isRole(role))
    return { address: { by: "role", role, ...(name === "" ? {} : { name }) }, approximate: false };
  if (name === "") return null;
  return field
    ? { address: { by: "label", value: name }, approximate: true }
    : { address: { by: "text", value: name, exact: true }, approximate: true };
}

function isRole(text: string): text is Role {
  return definitions.Role?.enum?.includes(text) ?? false;
}
