/** Converts coordinates of an element's frame to those of its tab's viewport. */
import { callOn, type Element, release } from "./elements.ts";
import { type Refusal, refusalFault } from "./faults.ts";

/** The answer of a function of `in-page.ts`. Throws the fault of a refusal. */
export function accepted<Value extends object>(nodeId: number, answer: Value | Refusal): Value {
  if ("error" in answer) throw refusalFault(nodeId, answer);
  return answer;
}

/** Calls `step` on each frame element around the element's frame, from the inside out, with what it returned before. Throws its refusals. */
export async function throughFrames<Place extends object>(
  { tab, frame: inner }: Element,
  nodeId: number,
  inFrame: Place,
  step: string,
): Promise<Place> {
  let place = inFrame;
  let frame = inner;
  while (frame.parentId !== null) {
    const parent = tab.frames.get(frame.parentId);
    if (parent === undefined) throw refusalFault(nodeId, { error: "gone" });
    const owner = await parent.session.send("DOM.getFrameOwner", { frameId: frame.id });
    const executionContextId = await tab.frames.world(parent);
    const { backendNodeId } = owner;
    const { object } = await parent.session.send("DOM.resolveNode", { backendNodeId, executionContextId });
    if (object.objectId === undefined) throw refusalFault(nodeId, { error: "gone" });
    const holder: Element = { tab, frame: parent, objectId: object.objectId };
    const through = await callOn<Place | Refusal>(holder, step, [{ value: place }]);
    release(holder);
    place = accepted(nodeId, through);
    frame = parent;
  }
  return place;
}
