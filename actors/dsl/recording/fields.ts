/** Reads the fields of a recording. A missing field or wrong type throws `invalid` with its JSON Pointer. */
import { Fault } from "../../../protocol/faults.ts";
import { shown } from "../check-shape.ts";

export interface RecordedStep {
  type: string;
  fields: Record<string, unknown>;
  pointer: string;
}

export function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;
}

export function refuse(pointer: string, message: string): never {
  throw new Fault("invalid", `${pointer}: ${message}`);
}

export function textField({ fields, pointer, type }: RecordedStep, name: string): string {
  const value = fields[name];
  if (typeof value === "string") return value;
  return refuse(`${pointer}/${name}`, `a recorded "${type}" needs a text here, got ${shown(value)}`);
}

export function numberField({ fields, pointer, type }: RecordedStep, name: string): number | null {
  const value = fields[name];
  if (value === undefined) return null;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return refuse(`${pointer}/${name}`, `a recorded "${type}" needs a number here, got ${shown(value)}`);
}

/** Alternative selectors, each a path through shadow roots. */
export function selectorsField({ fields, pointer, type }: RecordedStep): string[][] {
  const { selectors } = fields;
  if (!Array.isArray(selectors) || selectors.length === 0)
    return refuse(
      `${pointer}/selectors`,
      `a recorded "${type}" needs a list of selectors, got ${shown(selectors)}`,
    );
  return selectors.map((way: unknown, index) => {
    const path: unknown[] = Array.isArray(way) ? way : [way];
    const texts = path.filter((part) => typeof part === "string" && part !== "");
    if (texts.length === 0 || texts.length < path.length)
      return refuse(
        `${pointer}/selectors/${index}`,
        `must be a selector or a list of them, got ${shown(way)}`,
      );
    return texts.map(String);
  });
}

/** Child indexes of the nested iframes; empty for the page itself. */
export function frameField({ fields, pointer }: RecordedStep): number[] {
  const { frame } = fields;
  if (frame === undefined) return [];
  if (Array.isArray(frame) && frame.every((index) => Number.isInteger(index) && index >= 0))
    return frame.map(Number);
  return refuse(`${pointer}/frame`, `must be a list of frame indexes, got ${shown(frame)}`);
}
