/** The frames of one tab in all its renderers: the session and the current document of each. */
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";

export interface Frame {
  id: string;
  parentId: string | null;
  session: CdpSession;
  loaderId: string;
  url: string;
  /** Our isolated world, created at first use: the page can neither see nor change it. */
  world: Promise<number> | null;
}

export const worldName = "troupe";
const framesOnly = {
  autoAttach: true,
  waitForDebuggerOnStart: false,
  flatten: true,
  filter: [{ type: "iframe" }, { exclude: true }],
};

export class Frames {
  readonly #connection: Connection;
  readonly #frames = new Map<string, Frame>();
  /** The session of each frame that is the root of a renderer. */
  readonly #firstOf = new Map<string, CdpSession>();
  readonly #unsettled = new Set<Promise<void>>();
  readonly #mainId: string;

  readonly #attached: boolean;

  /** `mainId`: the target's id. `attached`: identity/apply-to-targets.ts attaches to the frames of other renderers. */
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

  all(): Frame[] {
    const ordered: Frame[] = [];
    const visit = (parent: Frame) => {
      ordered.push(parent);
      for (const frame of this.#frames.values()) if (frame.parentId === parent.id) visit(frame);
    };
    if (this.main !== undefined) visit(this.main);
    return ordered;
  }

  /** Resolves when all sessions have reported their frames. */
  async known(): Promise<void> {
    while (this.#unsettled.size > 0) await Promise.all(this.#unsettled);
  }

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

  /** Creates a document's world, and runs `source` and `work` before the page can paint. Null when the world exists or frames share it. */
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
        .catch(() => {}); // The document has gone. If the source did not run, everything is read again.
      return Promise.all([world, work()]);
    });
  }

  /** Follows a session's frames. Sends all commands at once; resolves when the frames are known. */
  follow(session: CdpSession, parentId: string | null): Promise<void> {
    session.on("Page.frameAttached", (event) => {
      this.#upsert(event.frameId, session, event.parentFrameId, "");
    });
    session.on("Page.lifecycleEvent", (event) => {
      // The only event about a frame's first, empty document.
      if (event.name === "init") this.#upsert(event.frameId, session, undefined, event.loaderId);
    });
    session.on("Page.frameNavigated", ({ frame, type }) => {
      this.#removeChildren(frame.id);
      if (this.#firstOf.get(frame.id) !== session) this.#firstOf.delete(frame.id); // It has moved to this renderer.
      this.#upsert(frame.id, session, frame.parentId, frame.loaderId, frame.url);
      if (type === "BackForwardCacheRestore") this.#settle(this.#readTree(session, parentId));
    });
    session.on("Page.frameDetached", (event) => {
      // After a swap, the session of the other renderer reports the frame.
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
    const settled = work.catch(() => {}).finally(() => this.#unsettled.delete(settled));
    this.#unsettled.add(settled);
  }

  /** Updates a frame. Ignores late events of the renderer that the frame has left. */
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
