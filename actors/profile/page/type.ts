/** The verb type: text into an element, key by key. */
import { limits } from "../../../protocol/limits.ts";
import { type Point, press } from "./click.ts";
import { afterInput, callOn, type Element, release } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { throughFrame } from "./in-page-click.ts";
import { editableInside, focusForTyping, typedText } from "./in-page-type.ts";
import type { InputEvent } from "./input.ts";
import { eventsOf, inserted } from "./keyboard.ts";
import { accepted, throughFrames } from "./through-frames.ts";
import type { Work } from "./work.ts";

/** Of `focusForTyping`, which describes it. */
interface Focused {
  frame?: true;
  asleep?: true;
  spot?: Point;
}

export const work: Work<"type"> = ({ onElement }, { node_id: nodeId, text }) =>
  onElement(nodeId, (element) => type(element, nodeId, text));

/** Focuses the element and types. Throws `conflict` if it is not editable, or the text is not in it afterwards. */
async function type(element: Element, nodeId: number, text: string): Promise<void> {
  const { frame, asleep, spot } = await focused(element, nodeId);
  if (frame === true) return typeInside(element, nodeId, text);
  if (asleep === true) return whileAwake(element, () => type(element, nodeId, text));
  let lost = await typed(element, nodeId, text, spot);
  if (lost?.spot) {
    await focused(element, nodeId);
    lost = await typed(element, nodeId, text, lost.spot);
  }
  if (lost !== null) throw refusalFault(nodeId, lost);
}

async function focused(element: Element, nodeId: number): Promise<Focused> {
  return accepted(nodeId, await callOn<Focused | Refusal>(element, focusForTyping));
}

/** Lets the page have the focus, which the window gets with the first key. */
async function whileAwake({ tab, frame }: Element, work: () => Promise<void>): Promise<void> {
  const sessions = new Set([tab.session, frame.session]);
  const emulate = (enabled: boolean) =>
    Promise.all([...sessions].map((one) => one.send("Emulation.setFocusEmulationEnabled", { enabled })));
  await emulate(true);
  try {
    await work();
  } finally {
    emulate(false).catch(() => {}); // The tab has closed.
  }
}

/** Types into what the frame's document has for text. */
async function typeInside(element: Element, nodeId: number, text: string): Promise<void> {
  const { tab, objectId } = element;
  const { node } = await element.frame.session.send("DOM.describeNode", { objectId });
  const frame = tab.frames.get(node.frameId ?? "");
  if (frame === undefined) throw refusalFault(nodeId, { error: "frame" });
  const executionContextId = await tab.frames.world(frame);
  const look = { functionDeclaration: editableInside, executionContextId };
  const { result } = await frame.session.send("Runtime.callFunctionOn", look);
  if (result.objectId === undefined) throw refusalFault(nodeId, { error: "frame" });
  const inside: Element = { tab, frame, objectId: result.objectId };
  try {
    await type(inside, nodeId, text);
  } finally {
    release(inside);
  }
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
