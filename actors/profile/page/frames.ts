/** The frames of one tab, in-process and out-of-process alike: which session reaches each, and which document it shows. */
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";

export interface Frame {
  id: string;
  parentId: string | null;
  /** The session of the renderer that the frame lives in. */
  session: CdpSession;
  /** Changes with every new document; empty until it is known. */
  loaderId: string;
  /** As of its last navigation; empty when that is not known. */
  url: string;
  /** Our isolated world in the frame's document, made when first needed: the page can neither see nor change it. */
  world: Promise<number> | null;
}

const worldName = "troupe";
const framesOnly = {
  autoAttach: true,
  waitForDebuggerOnStart: false,
  flatten: true,
  filter: [{ type: "iframe" }, { exclude: true }],
};

export class Frames {
  readonly #connection: Connection;
  readonly #frames = new Map<string, Frame>();
  /** Frames that are the first of a renderer: the session that was attached to each. */
  readonly #firstOf = new Map<string, CdpSession>();
  readonly #unsettled = new Set<Promise<void>>();
  readonly #mainId: string;

  readonly #attached: boolean;

  /** `mainId`: a tab's main frame has the id of its target. `attached`: somebody else attaches to the frames of other renderers. */
  constructor(connection: Connection, mainId: string, attached: boolean) {
    this.#connection = connection;
    this.#mainId = mainId;
    this.#attached = attached;
  }

  get(id: string): Frame | undefined {
    return this.#frames.get(id);
  }

  get main(): Frame | undefined {
    return this.#frames.get(this.#mainId);
  }

  /** All frames, parents before their children, in the order they were attached. */
  all(): Frame[] {
    const ordered: Frame[] = [];
    const visit = (parent: Frame) => {
      ordered.push(parent);
      for (const frame of this.#frames.values()) if (frame.parentId === parent.id) visit(frame);
    };
    if (this.main !== undefined) visit(this.main);
    return ordered;
  }

  /** Settles when every session that has been announced has told its frames. */
  async known(): Promise<void> {
    while (this.#unsettled.size > 0) await Promise.all(this.#unsettled);
  }

  /** The isolated world of the frame's present document. */
  world(frame: Frame): Promise<number> {
    if (frame.world === null) {
      const made = frame.session
        .send("Page.createIsolatedWorld", { frameId: frame.id, worldName })
        .then((reply) => reply.executionContextId);
      made.catch(() => {
        if (frame.world === made) frame.world = null;
      });
      frame.world = made;
    }
    return frame.world;
  }

  /**
   * Makes the world of a document that has none yet, runs `source` in it first of all, and sends what `work` does right behind, in one piece:
   * after each answer that is waited for the page may paint before it takes the next command. Null, and nothing done, when the document
   * has its world, or its renderer shows other frames of the tab as well: the source would run in all of them.
   */
  begin<T>(
    frame: Frame,
    source: string,
    work: () => Promise<T>,
  ): Promise<[worldId: number, result: T]> | null {
    const { session } = frame;
    const alone = ![...this.#frames.values()].some((other) => other !== frame && other.session === session);
    if (frame.world !== null || !alone) return null;
    return this.#connection.together(() => {
      const world = this.world(frame);
      const script = { source, worldName, runImmediately: true };
      session
        .send("Page.addScriptToEvaluateOnNewDocument", script)
        .then(({ identifier }) => session.send("Page.removeScriptToEvaluateOnNewDocument", { identifier }))
        .catch(() => {}); // The document is gone. Where it did not run nothing is found in the world, and all is read anew.
      return Promise.all([world, work()]);
    });
  }

  /** Follows a session's frames; all commands go out at once. Resolves when the frames are known. */
  follow(session: CdpSession, parentId: string | null): Promise<void> {
    session.on("Page.frameAttached", (event) => {
      this.#upsert(event.frameId, session, event.parentFrameId, "");
    });
    session.on("Page.lifecycleEvent", (event) => {
      // The only word about the first, empty document of a frame.
      if (event.name === "init") this.#upsert(event.frameId, session, undefined, event.loaderId);
    });
    session.on("Page.frameNavigated", ({ frame, type }) => {
      this.#removeChildren(frame.id);
      if (this.#firstOf.get(frame.id) !== session) this.#firstOf.delete(frame.id); // It has come to this renderer.
      this.#upsert(frame.id, session, frame.parentId, frame.loaderId, frame.url);
      if (type === "BackForwardCacheRestore") this.#settle(this.#readTree(session, parentId));
    });
    session.on("Page.frameDetached", (event) => {
      // A swap hands the frame to another renderer, whose session will tell of it.
      if (event.reason !== "swap" && this.#frames.get(event.frameId)?.session === session) {
        this.#remove(event.frameId);
      }
    });
    session.on("Target.attachedToTarget", (event) => {
      const child = this.#connection.session(event.sessionId);
      if (child === undefined || event.targetInfo.type !== "iframe") return;
      this.#firstOf.set(event.targetInfo.targetId, child);
      const followed = this.follow(child, event.targetInfo.parentFrameId ?? this.#mainId);
      this.#settle(followed);
    });
    session.on("Target.detachedFromTarget", (event) => {
      for (const [id, first] of this.#firstOf) if (first.id === event.sessionId) this.#firstOf.delete(id);
      for (const frame of [...this.#frames.values()]) {
        if (frame.session.id === event.sessionId) this.#remove(frame.id);
      }
    });
    const sent: Promise<unknown>[] = [
      session.send("Page.enable", {}),
      session.send("Page.setLifecycleEventsEnabled", { enabled: true }),
      this.#readTree(session, parentId),
    ];
    if (!this.#attached) sent.push(session.send("Target.setAutoAttach", framesOnly));
    return Promise.all(sent).then(() => {});
  }

  async #readTree(session: CdpSession, parentId: string | null): Promise<void> {
    const { frameTree } = await session.send("Page.getFrameTree", {});
    const visit = (tree: Protocol.Page.FrameTree, above: string | null) => {
      this.#upsert(tree.frame.id, session, above ?? undefined, tree.frame.loaderId, tree.frame.url);
      for (const child of tree.childFrames ?? []) visit(child, tree.frame.id);
    };
    visit(frameTree, parentId);
  }

  #settle(work: Promise<void>): void {
    // A frame that is gone before it told anything is no longer a frame.
    const settled = work.catch(() => {}).finally(() => this.#unsettled.delete(settled));
    this.#unsettled.add(settled);
  }

  /**
   * What a session says of a frame. A renderer that was busy still tells of a frame that has since moved to a renderer of its own, as
   * it was before: the session attached to it knows better.
   */
  #upsert(id: string, session: CdpSession, parentId: string | undefined, loaderId: string, url = ""): void {
    if ((this.#firstOf.get(id) ?? session) !== session) return;
    const known = this.#frames.get(id);
    if (known === undefined) {
      this.#frames.set(id, { id, parentId: parentId ?? null, session, loaderId, url, world: null });
      return;
    }
    if (known.session !== session || (loaderId !== "" && known.loaderId !== loaderId)) known.world = null;
    known.session = session;
    if (loaderId !== "") known.loaderId = loaderId;
    if (url !== "") known.url = url;
    if (parentId !== undefined) known.parentId = parentId;
  }

  #removeChildren(id: string): void {
    for (const frame of [...this.#frames.values()]) if (frame.parentId === id) this.#remove(frame.id);
  }

  #remove(id: string): void {
    this.#frames.delete(id);
    this.#removeChildren(id);
  }
}
