/** Gives an element the keyboard focus, with a new caret at the end of its text. */
import type { Point } from "./aim.ts";
import { callOn, type Element, release } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";
import { editableInside, focusForTyping } from "./in-page-type.ts";
import { accepted } from "./through-frames.ts";

/** What the keys are for: `text` needs a field that takes it. */
export type Purpose = "text" | "keys";

/** See `focusForTyping`. */
interface Focused {
  frame?: true;
  asleep?: true;
  spot?: Point;
}

/** Calls `work` with the focused element; for a frame, with the editable element of its document. Throws `conflict` when it takes no keys. */
export async function withFocus(
  element: Element,
  nodeId: number,
  purpose: Purpose,
  work: (focused: Element, spot?: Point) => Promise<void>,
): Promise<void> {
  const { frame, asleep, spot } = await focus(element, nodeId, purpose);
  if (frame === true) return inDocument(element, nodeId, (inner) => withFocus(inner, nodeId, purpose, work));
  if (asleep === true) return whileAwake(element, () => withFocus(element, nodeId, purpose, work));
  return work(element, spot);
}

export async function focus(element: Element, nodeId: number, purpose: Purpose): Promise<Focused> {
  return accepted(nodeId, await callOn<Focused | Refusal>(element, focusForTyping, [{ value: purpose }]));
}

/** Emulates the focus for the page until the window gets it with the first key. */
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

/** Calls `work` with the editable element of the frame's document. */
async function inDocument(
  element: Element,
  nodeId: number,
  work: (inner: Element) => Promise<void>,
): Promise<void> {
  const { tab, objectId } = element;
  const { node } = await element.frame.session.send("DOM.describeNode", { objectId });
  const frame = tab.frames.get(node.frameId ?? "");
  if (frame === undefined) throw refusalFault(nodeId, { error: "frame" });
  const executionContextId = await tab.frames.world(frame);
  const look = { functionDeclaration: editableInside, executionContextId };
  const { result } = await frame.session.send("Runtime.callFunctionOn", look);
  if (result.objectId === undefined) throw refusalFault(nodeId, { error: "frame" });
  const inner: Element = { tab, frame, objectId: result.objectId };
  try {
    await work(inner);
  } finally {
    release(inner);
  }
}
