/** The verb type: text into an element, key by key. */
import { limits } from "../../../protocol/limits.ts";
import { type Point, press } from "./click.ts";
import { afterInput, callOn, type Element } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { focus, withFocus } from "./focus.ts";
import { throughFrame } from "./in-page-click.ts";
import { typedText } from "./in-page-type.ts";
import type { InputEvent } from "./input.ts";
import { eventsOf, inserted } from "./keyboard.ts";
import { throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

export const work: Work<"type"> = ({ onElement }, { node_id: nodeId, text }) =>
  onElement(nodeId, (element) => type(element, nodeId, text));

/** Focuses the element and types. Throws `conflict` if it is not editable, or the text is not in it afterwards. */
function type(element: Element, nodeId: number, text: string): Promise<void> {
  return withFocus(element, nodeId, "text", async (field, spot) => {
    let lost = await typed(field, nodeId, text, spot);
    if (lost?.spot) {
      await focus(field, nodeId, "text");
      lost = await typed(field, nodeId, text, lost.spot);
    }
    if (lost !== null) throw refusalFault(nodeId, lost);
  });
}

interface Lost extends Refusal {
  spot?: Point | null;
}

/** Types at the caret, or at `spot`. Returns why the text is not there; null when it is, or the keys left the document, as Enter does in a form. */
async function typed(element: Element, nodeId: number, text: string, spot?: Point): Promise<Lost | null> {
  if (spot !== undefined) await press(element.tab, await throughFrames(element, nodeId, spot, throughFrame));
  await giveText(element, text);
  const look = () => callOn<object | Lost>(element, typedText, [{ value: text }]);
  const answer = await afterInput(look);
  return answer !== null && "error" in answer ? answer : null;
}

/** Characters outside the US keyboard cause only `input` events. */
async function giveText({ tab }: Element, text: string): Promise<void> {
  const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(
    text.slice(0, limits.typedKeysMax),
  );
  const events: InputEvent[] = [];
  let taken = 0;
  for (const { segment } of clusters) {
    const last = taken + segment.length >= limits.typedKeysMax;
    if (last && text.length > limits.typedKeysMax) break; // It may be half of a cluster.
    taken += segment.length;
    events.push(...eventsOf(segment));
  }
  if (taken < text.length) events.push(inserted(text.slice(taken)));
  await tab.input.give(events);
}
