/** Types a date or time, given in the form that scripts use, into the parts of its field, in any locale. */
import { callOn, type Element, release } from "./elements.ts";
import { dateNumbers, partNumber } from "./in-page-date.ts";
import { chordOf, eventsOf, strokes } from "./keyboard.ts";

/** Such as `month`; `ampm` counts from 1. */
type Numbers = Record<string, number>;

interface Part {
  name: string;
  backendNodeId: number;
  max: number;
}

/** Presses of ArrowUp that reach each name of a month. */
const stepsMax = 13;

/** False, with nothing typed, for another field, and for a text that only its locale explains. */
export async function typeDate(field: Element, text: string): Promise<boolean> {
  const numbers = await callOn<Numbers | null>(field, dateNumbers, [{ value: text }]);
  if (numbers === null) return false;
  for (const part of await partsOf(field)) await show(field, part, numbers);
  return true;
}

/** The parts that the browser draws, in the order of its locale. */
async function partsOf({ frame, objectId }: Element): Promise<Part[]> {
  const { node } = await frame.session.send("DOM.describeNode", { objectId, depth: -1, pierce: true });
  const parts: Part[] = [];
  const look = ({ attributes = [], backendNodeId, children = [], shadowRoots = [] }: typeof node) => {
    const attribute = (name: string) => attributes[attributes.indexOf(name) + 1] ?? "";
    const [, name] = /^-webkit-datetime-edit-(\w+)-field$/.exec(attribute("pseudo")) ?? [];
    if (name !== undefined) parts.push({ name, backendNodeId, max: Number(attribute("aria-valuemax")) });
    for (const child of [...shadowRoots, ...children]) look(child);
  };
  look(node);
  return parts;
}

async function show({ tab, frame }: Element, part: Part, numbers: Numbers): Promise<void> {
  const wanted = numberOf(part, numbers);
  if (wanted === undefined) return;
  const executionContextId = await tab.frames.world(frame);
  const { backendNodeId } = part;
  const { object } = await frame.session.send("DOM.resolveNode", { backendNodeId, executionContextId });
  if (object.objectId === undefined) return;
  const element = { tab, frame, objectId: object.objectId };
  try {
    await callOn(element, "function () { this.focus(); }");
    const digits = String(wanted).padStart(part.name === "year" ? 4 : 2, "0");
    if (part.name !== "ampm") await tab.input.give([...digits].flatMap((digit) => eventsOf(digit)));
    for (let step = 0; step < stepsMax && (await callOn(element, partNumber)) !== wanted; step++)
      await tab.input.give(strokes(chordOf("ArrowUp")));
  } finally {
    release(element);
  }
}

/** Locales count the hours from 0 or 1, to 12 or 24. */
function numberOf({ name, max }: Part, numbers: Numbers): number | undefined {
  const { hour = 0 } = numbers;
  if (name === "ampm") return hour < 12 ? 1 : 2;
  if (name !== "hour") return numbers[name];
  const turn = max < 13 ? 12 : 24;
  return max === turn ? hour % turn || turn : hour % turn;
}
