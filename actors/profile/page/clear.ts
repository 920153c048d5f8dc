/** Empties a field that has the focus, by keys as far as there are any. */
import { callOn, type Element } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { focus } from "./focus.ts";
import { fieldText, isCleared, keysToClear } from "./in-page-clear.ts";
import type { InputEvent } from "./input.ts";
import { chordOf, strokes } from "./keyboard.ts";

/** Throws `conflict` when the field keeps its text. */
export async function clear(element: Element, nodeId: number): Promise<void> {
  if (!(await clearedBy(element, nodeId, false))) await clearedBy(element, nodeId, true);
  await focus(element, nodeId, "text");
}

async function clearedBy(element: Element, nodeId: number, again: boolean): Promise<boolean> {
  const before = await callOn<string | null>(element, fieldText);
  const keys = await callOn<string[]>(element, keysToClear, [{ value: again }]);
  if (keys.length === 0) return true;
  await element.tab.input.give(keys.flatMap((key) => strokes(chordOf(key)).map(selectingAll)));
  const given = [{ value: before }, { value: again }];
  const answer = await callOn<object | Refusal>(element, isCleared, given);
  if (!("error" in answer)) return true;
  if (again) throw refusalFault(nodeId, answer);
  return false;
}

/** With its command, Control+A selects all on every system. */
function selectingAll(event: InputEvent): InputEvent {
  if (event.method !== "Input.dispatchKeyEvent" || event.params.key !== "a") return event;
  if (event.params.type !== "rawKeyDown") return event;
  return { ...event, params: { ...event.params, commands: ["selectAll"] } };
}
