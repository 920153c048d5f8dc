/** The verb press-key: a key or a chord into the page. */
import { afterInput, callOn, type Element } from "./elements.ts";
import type { Refusal } from "./faults.ts";
import { withFocus } from "./focus.ts";
import { keysFelt } from "./in-page-type.ts";
import type { InputEvent } from "./input.ts";
import { chordOf, strokes } from "./keyboard.ts";
import { accepted } from "./through-frames.ts";
import type { Work } from "./work.ts";

export const work: Work<"pressKey"> = async (
  { onTab, onElement, acted },
  { key, node_id: nodeId, count },
) => {
  const events = strokes(chordOf(key), count);
  if (nodeId !== undefined) return onElement(nodeId, (element) => pressOn(element, nodeId, events));
  return onTab(async (tab) => {
    await acted(tab, () => tab.input.give(events));
    return {};
  });
};

/** Focuses the element and presses the keys. Throws `conflict` when it takes no focus, or the page did not receive them. */
function pressOn(element: Element, nodeId: number, events: InputEvent[]): Promise<void> {
  return withFocus(element, nodeId, "keys", async (focused) => {
    await focused.tab.input.give(events);
    const answer = await afterInput(() => callOn<object | Refusal>(focused, keysFelt));
    if (answer !== null) accepted(nodeId, answer);
  });
}
