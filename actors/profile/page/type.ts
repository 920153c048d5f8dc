/** The verb type: text into an element, key by key. */
import { limits } from "../../../protocol/limits.ts";
import { callOn, type Element } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { focusForTyping } from "./in-page.ts";
import type { InputEvent } from "./input.ts";
import { eventsOf, inserted } from "./keyboard.ts";
import type { Work } from "./work.ts";

export const work: Work<"type"> = ({ onElement }, { node_id: nodeId, text }) =>
  onElement(nodeId, (element) => type(element, nodeId, text));

/** Focuses the element and types. Characters outside the US keyboard cause only `input` events. Throws `conflict` if it is not editable. */
async function type(element: Element, nodeId: number, text: string): Promise<void> {
  const focused = await callOn<Record<string, never> | Refusal>(element, focusForTyping);
  if ("error" in focused) throw refusalFault(nodeId, focused as Refusal);
  const { tab } = element;
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
