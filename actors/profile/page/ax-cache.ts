/** Fetches the accessibility nodes of a frame, and reuses those that have not changed since. */
import type { Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import { AxTree } from "./ax-tree.ts";
import type { Frame, Frames } from "./frames.ts";
import { type Look, lookAgain, lookForChanges, seenElement } from "./in-page-changes.ts";

interface Kept {
  tree: AxTree;
  /** A closed shadow root hides changes, so everything is fetched each time. */
  opaque: boolean;
  loaderId: string;
  worldId: number;
}

type RawNode = Protocol.Accessibility.AXNode;

/** A tree takes some megabytes, so an unused one is dropped after this. */
const keptMs = 120_000;

/** Time for the browser's next frame. A minimized window draws none. */
const nextFrameMs = 250;

export interface TreeSource {
  /** The current nodes. Rejects with a CdpError when the frame closes meanwhile. */
  tree(frames: Frames, frame: Frame): Promise<AxTree>;
}

export class AxCache implements TreeSource {
  readonly counts = { whole: 0, parts: 0, none: 0 };
  readonly #patienceMs: number;
  #kept = new WeakMap<Frame, Kept>();
  #forgetting: NodeJS.Timeout | null = null;

  /** `patienceMs`: after this, the whole frame is fetched instead of a part. */
  constructor(patienceMs = nextFrameMs) {
    this.#patienceMs = patienceMs;
  }

  async tree(frames: Frames, frame: Frame): Promise<AxTree> {
    const begun = frames.begin(frame, `(${lookForChanges})()`, () => whole(frame));
    if (begun !== null) return this.#firstTree(frame, begun);
    const worldId = await frames.world(frame);
    const { loaderId } = frame;
    const kept = this.#kept.get(frame);
    const usable = kept !== undefined && kept.loaderId === loaderId && kept.worldId === worldId;
    // A failure below must not leave an outdated tree.
    this.#kept.delete(frame);
    const now =
      usable && !kept.opaque
        ? await sinceThen(frame, worldId, kept.tree, this.#patienceMs)
        : { tree: await fromNow(frame, worldId), opaque: usable && kept.opaque, way: "whole" as const };
    this.counts[now.way] += 1;
    const { tree, opaque } = now;
    this.#kept.set(frame, { tree, opaque, loaderId, worldId });
    this.#forgetLater();
    return tree;
  }

  /** Observes and reads a new document in one step, before it can change. */
  async #firstTree(frame: Frame, begun: Promise<[worldId: number, tree: AxTree]>): Promise<AxTree> {
    const { loaderId } = frame;
    this.#kept.delete(frame);
    const [worldId, tree] = await begun;
    this.counts.whole += 1;
    this.#kept.set(frame, { tree, opaque: false, loaderId, worldId });
    this.#forgetLater();
    return tree;
  }

  #forgetLater(): void {
    if (this.#forgetting !== null) {
      this.#forgetting.refresh();
      return;
    }
    this.#forgetting = setTimeout(() => {
      this.#kept = new WeakMap();
      this.#forgetting = null;
    }, keptMs).unref();
  }
}

/** Starts observing before the fetch, so that a change during the fetch is noticed later. */
async function fromNow(frame: Frame, worldId: number): Promise<AxTree> {
  const [, tree] = await Promise.all([look(frame, worldId, lookForChanges), whole(frame)]);
  return tree;
}

interface Fetched {
  tree: AxTree;
  opaque: boolean;
  way: keyof AxCache["counts"];
}

async function sinceThen(frame: Frame, worldId: number, tree: AxTree, patienceMs: number): Promise<Fetched> {
  const seen = await look(frame, worldId, lookAgain);
  if (seen === null) return { tree: await fromNow(frame, worldId), opaque: false, way: "whole" };
  const { state, tops, checks, suspects } = seen;
  const closed = anyOf(suspects, (at) => holdsClosedRoot(frame, worldId, at));
  if (state === "first" || state === "all") {
    const [now, opaque] = await Promise.all([whole(frame), closed]);
    return { tree: now, opaque, way: "whole" };
  }
  const [opaque, differs, parts] = await Promise.all([
    closed,
    anyOf(checks, (at) => looksDifferent(frame, worldId, at, tree)),
    Promise.all(indices(tops).map((at) => subtree(frame, worldId, at, patienceMs))),
  ]);
  if (!opaque && !differs && parts.every((nodes) => tree.replace(nodes))) {
    return { tree, opaque, way: tops === 0 ? "none" : "parts" };
  }
  return { tree: await whole(frame), opaque, way: "whole" };
}

function indices(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

async function anyOf(count: number, holds: (at: number) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(indices(count).map(holds))).some(Boolean);
}

async function look(
  frame: Frame,
  executionContextId: number,
  functionDeclaration: string,
): Promise<Look | null> {
  const params = { functionDeclaration, executionContextId, returnByValue: true };
  const { result } = await frame.session.send("Runtime.callFunctionOn", params);
  return result.value ?? null; // Our own function returns a Look.
}

async function whole(frame: Frame): Promise<AxTree> {
  const { nodes } = await frame.session.send("Accessibility.getFullAXTree", { frameId: frame.id });
  return new AxTree(nodes);
}

/** The nodes of an element and its descendants, the element first; null when they do not come. */
async function queryNodes(
  frame: Frame,
  objectId: string,
  patienceMs = nextFrameMs,
): Promise<RawNode[] | null> {
  const asked = frame.session.send("Accessibility.queryAXTree", { objectId });
  // queryAXTree answers with the next frame. getPartialAXTree makes it answer at once if something has changed.
  frame.session.send("Accessibility.getPartialAXTree", { objectId, fetchRelatives: false }).catch(() => {});
  const reply = await within(asked, patienceMs);
  if (reply !== null) return reply.value.nodes;
  asked.catch(() => {});
  return null;
}

/** The tree of an element. Rejects with a CdpError when the frame closes meanwhile. */
export async function treeBelow(frame: Frame, objectId: string): Promise<AxTree> {
  const queried = await queryNodes(frame, objectId);
  if (queried !== null) return new AxTree(queried);
  const [{ nodes }, { node }] = await Promise.all([
    frame.session.send("Accessibility.getFullAXTree", { frameId: frame.id }),
    frame.session.send("DOM.describeNode", { objectId }),
  ]);
  const top = nodes.find(({ backendDOMNodeId }) => backendDOMNodeId === node.backendNodeId);
  return new AxTree(top === undefined ? [] : [top, ...nodes]);
}

async function onSeen<T>(
  frame: Frame,
  executionContextId: number,
  list: "tops" | "checks" | "suspects",
  at: number,
  work: (objectId: string) => Promise<T>,
): Promise<T | null> {
  const { result } = await frame.session.send("Runtime.callFunctionOn", {
    functionDeclaration: seenElement,
    executionContextId,
    arguments: [{ value: list }, { value: at }],
  });
  const { objectId } = result;
  if (objectId === undefined) return null;
  try {
    return await work(objectId);
  } finally {
    frame.session.send("Runtime.releaseObject", { objectId }).catch(() => {});
  }
}

async function subtree(frame: Frame, worldId: number, at: number, patienceMs: number): Promise<RawNode[]> {
  return (
    (await onSeen(frame, worldId, "tops", at, (objectId) => queryNodes(frame, objectId, patienceMs))) ?? []
  ); // Empty: the whole tree is fetched.
}

function looksDifferent(frame: Frame, worldId: number, at: number, tree: AxTree): Promise<boolean> {
  const ask = async (objectId: string) => {
    const params = { objectId, fetchRelatives: false };
    const [{ nodes }, closed] = await Promise.all([
      frame.session.send("Accessibility.getPartialAXTree", params),
      hasClosedRoot(frame, objectId),
    ]);
    return closed || !nodes.every((own) => tree.shows(own));
  };
  return onSeen(frame, worldId, "checks", at, ask).then((differs) => differs ?? true);
}

function holdsClosedRoot(frame: Frame, worldId: number, at: number): Promise<boolean> {
  const ask = (objectId: string) => hasClosedRoot(frame, objectId);
  return onSeen(frame, worldId, "suspects", at, ask).then((closed) => closed ?? false);
}

async function hasClosedRoot(frame: Frame, objectId: string): Promise<boolean> {
  const { node } = await frame.session.send("DOM.describeNode", { objectId });
  return node.shadowRoots?.some((root) => root.shadowRootType === "closed") === true;
}
