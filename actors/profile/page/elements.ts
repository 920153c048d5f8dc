/** Node ids: numbers for elements, valid while their document is shown. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { failureOf, type Params, type Protocol } from "../cdp/session.ts";
import type { Frame } from "./frames.ts";
import { controlOf } from "./in-page.ts";
import { type KnownDocument, NodeIds } from "./node-ids.ts";
import type { Tab } from "./tab.ts";
import type { Tabs } from "./tabs.ts";

/** Documents whose nodes keep their ids. A page that adds and removes frames creates a document each time. */
const documentsMax = 4_096;

/** An element with its tab and frame, and a handle in our isolated world. */
export interface Element {
  tab: Tab;
  frame: Frame;
  objectId: string;
}

/** Releases the handle, which would keep the element and its document in memory. */
export function release({ frame, objectId }: Pick<Element, "frame" | "objectId">): void {
  frame.session.send("Runtime.releaseObject", { objectId }).catch(() => {});
}

/** Whether a command failed because its document or tab has gone. */
export function wentAway(error: unknown): boolean {
  return failureOf(error) === "refused" || failureOf(error) === "session-closed";
}

export class Elements {
  readonly #tabs: Tabs;
  readonly #given = new NodeIds(limits.nodeIdsMax);
  readonly #documents = new Map<string, KnownDocument>();

  constructor(tabs: Tabs) {
    this.#tabs = tabs;
  }

  idOf(tab: Tab, frame: Frame, backendNodeId: number): number {
    return this.idsOf(tab, frame)(backendNodeId);
  }

  idsOf(tab: Tab, frame: Frame): (backendNodeId: number) => number {
    const { targetId } = tab;
    const { id: frameId, loaderId } = frame;
    let document = this.#documents.get(frameId);
    if (document === undefined || document.loaderId !== loaderId || document.targetId !== targetId) {
      // Ids of the previous document stay known, so that their use gives the right error.
      document?.ids.clear();
      document = { targetId, frameId, loaderId, ids: new Map() };
      this.#documents.set(frameId, document);
      const [oldest] = this.#documents.keys();
      if (this.#documents.size > documentsMax && oldest !== undefined) this.#documents.delete(oldest);
    }
    const of = document;
    return (backendNodeId) => of.ids.get(backendNodeId) ?? this.#given.give(of, backendNodeId);
  }

  /** Null for an unknown id. */
  placeOf(nodeId: number): { frameId: string; backendNodeId: number } | null {
    const known = this.#given.get(nodeId);
    return known === undefined
      ? null
      : { frameId: known.document.frameId, backendNodeId: known.backendNodeId };
  }

  /** Throws `conflict` when the id is unknown, its element or document has gone, or it is not in the tab that the call names. */
  async find(nodeId: number, named: Tab | null = null): Promise<Element> {
    const known = this.#given.get(nodeId);
    if (known === undefined && nodeId > this.#given.last) {
      throw new Fault("conflict", `node_id ${nodeId} is unknown; take a snapshot to get the ids`);
    }
    if (known === undefined) throw gone(nodeId);
    const { document, backendNodeId } = known;
    const tab = this.#tabs.byTarget(document.targetId);
    await tab?.frames.known();
    const frame = tab?.frames.get(document.frameId);
    if (tab === undefined || frame === undefined || frame.loaderId !== document.loaderId) throw gone(nodeId);
    if (named === null) await this.#tabs.activate(tab);
    else if (tab !== named)
      throw new Fault(
        "conflict",
        `element ${nodeId} is in the tab ${tab.targetId}, not in ${named.targetId}`,
      );
    try {
      const executionContextId = await tab.frames.world(frame);
      const reply = await frame.session.send("DOM.resolveNode", { backendNodeId, executionContextId });
      if (reply.object.objectId !== undefined) return { tab, frame, objectId: reply.object.objectId };
    } catch (error) {
      if (!wentAway(error)) throw error;
    }
    throw gone(nodeId);
  }
}

/** The fault of an id whose element or document has gone (protocol/README.md, "Page driving"). */
export function gone(nodeId: number): Fault {
  return new Fault(
    "conflict",
    `element ${nodeId} is gone: the page has changed since its id was read; take a new snapshot`,
  );
}

/** Calls a function of `in-page.ts` on an element and returns its value. */
export async function callOn<Value>(
  element: Element,
  functionDeclaration: string,
  args: Protocol.Runtime.CallArgument[] = [],
): Promise<Value> {
  const params: Params<"Runtime.callFunctionOn"> = {
    functionDeclaration,
    objectId: element.objectId,
    arguments: args,
    returnByValue: true,
    awaitPromise: true,
  };
  const reply = await element.frame.session.send("Runtime.callFunctionOn", params);
  if (reply.exceptionDetails !== undefined) {
    const { exception, text } = reply.exceptionDetails;
    throw new Fault("internal", `a page function failed: ${exception?.description ?? text}`);
  }
  return reply.result.value as Value; // in-page.ts documents the types.
}

/** What `look` finds after input; null when the input left the document, as that of a form that sends itself does. */
export async function afterInput<Value>(look: () => Promise<Value>): Promise<Value | null> {
  try {
    return await look();
  } catch (error) {
    if (wentAway(error)) return null;
    throw error;
  }
}

/** The element that a function of `in-page*.ts` finds from another; null for none. The caller releases it. */
export async function elementFrom(
  { tab, frame, objectId }: Element,
  functionDeclaration: string,
  args: Protocol.Runtime.CallArgument[] = [],
): Promise<Element | null> {
  const params = { functionDeclaration, objectId, arguments: args, awaitPromise: true };
  const { result } = await frame.session.send("Runtime.callFunctionOn", params);
  return result.objectId === undefined ? null : { tab, frame, objectId: result.objectId };
}

/** Uses the control of a label, or the element itself. Throws `conflict` when it is gone. */
export async function withControl<Value>(
  element: Element,
  nodeId: number,
  use: (control: Element) => Promise<Value>,
): Promise<Value> {
  const control = await elementFrom(element, controlOf);
  if (control === null) throw gone(nodeId);
  try {
    return await use(control);
  } finally {
    release(control);
  }
}
