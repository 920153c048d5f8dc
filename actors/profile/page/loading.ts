/** The loading state of a tab's main frame, from its lifecycle events. */
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";

type Milestone = "DOMContentLoaded" | "load" | "networkIdle";
const milestones: ReadonlySet<string> = new Set<Milestone>(["DOMContentLoaded", "load", "networkIdle"]);
const isMilestone = (name: string): name is Milestone => milestones.has(name);

/** How the load of a document ended: `stopped` without its load event, `late` not in time. */
export type LoadEnd = "loaded" | "stopped" | "late";

/** A document of this type never ends. */
const endlessType = "multipart/x-mixed-replace";

/** The state of a step in the tab's history, or of a reload. */
export interface Step {
  loaderId: string;
  within: boolean;
  /** The server has answered. */
  answered: boolean;
  /** Done without a load: within the document, or from the back/forward cache. */
  kept: boolean;
  /** Known, like `answered`, only while the session reports requests. */
  error: string | null;
}

/** Documents to remember, since a page may be replaced before it loads. */
const documentsKept = 16;

export class Loading {
  readonly #documents: string[] = [];
  readonly #reached = new Set<Milestone>();
  readonly #watchers = new Set<() => void>();
  #leaving = false;
  /** The document that was asked for last; null while the page asks for one. */
  #sought: string | null = null;
  /** The browser has stopped loading the present document. */
  #stopped = false;
  #endless = false;
  #step: Step | null = null;
  /** The tab's first navigation; `none`: it ended without a document. */
  #first: "awaited" | "begun" | "shown" | "none" = "awaited";
  #ended = false;
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(session: CdpSession, mainFrameId: string) {
    const changed = () => this.#changed();
    const begin = (loaderId: string) => {
      if (this.#documents.at(-1) === loaderId) return;
      this.#documents.push(loaderId);
      if (this.#documents.length > documentsKept) this.#documents.shift();
      this.#reached.clear();
      this.#leaving = false;
      this.#stopped = false;
      this.#endless = false;
    };
    session.on("Page.frameRequestedNavigation", (event) => {
      if (event.frameId !== mainFrameId || event.disposition !== "currentTab") return;
      this.#leaving = true;
      this.#sought = null;
    });
    session.on("Page.frameStartedNavigating", (event) => {
      const { frameId, loaderId, navigationType } = event;
      if (frameId !== mainFrameId) return;
      this.#sought = loaderId;
      this.#leaving = navigationType !== "sameDocument" && navigationType !== "historySameDocument";
      if (this.#leaving && this.#first === "awaited") this.#first = "begun";
      if (/^(history|reload|restore)/.test(navigationType))
        this.#step = { loaderId, within: !this.#leaving, answered: false, kept: false, error: null };
      changed();
    });
    session.on("Network.responseReceived", ({ requestId }) => {
      if (requestId !== this.#step?.loaderId) return;
      this.#step.answered = true;
      changed();
    });
    session.on("Network.loadingFailed", ({ requestId, errorText }) => {
      if (requestId !== this.#step?.loaderId) return;
      this.#step.error = errorText;
      changed();
    });
    session.on("Page.navigatedWithinDocument", (event) => {
      if (event.frameId !== mainFrameId) return;
      this.#leaving = false;
      if (this.#step?.within === true) this.#step.kept = true;
      changed();
    });
    session.on("Page.frameStoppedLoading", (event) => {
      if (event.frameId !== mainFrameId) return;
      this.#leaving = false; // Also after a download, a 204 or a stop.
      this.#stopped = true;
      if (this.#first === "begun") this.#first = "none";
      changed();
    });
    session.on("Page.frameNavigated", ({ frame, type }) => {
      if (frame.id !== mainFrameId) return;
      this.#first = "shown";
      begin(frame.loaderId);
      this.#endless = frame.mimeType === endlessType;
      if (type === "BackForwardCacheRestore") {
        this.#reached.add("DOMContentLoaded").add("load").add("networkIdle"); // A restored page sends no events.
        if (this.#step !== null) this.#step.kept = true;
      }
      changed();
    });
    session.on("Page.lifecycleEvent", (event) => {
      if (event.frameId !== mainFrameId) return;
      this.#heardAt = performance.now();
      if (event.name === "init") begin(event.loaderId);
      else if (event.loaderId !== this.#documents.at(-1)) return;
      if (isMilestone(event.name)) this.#reached.add(event.name);
      changed();
    });
  }

  get quietMs(): number {
    return performance.now() - this.#heardAt;
  }

  get leaving(): boolean {
    return this.#leaving;
  }

  /** Whether a navigation to another document than this one is running. */
  leavingBut(loaderId: string): boolean {
    return this.#leaving && this.#sought !== loaderId;
  }

  committed(loaderId: string): boolean {
    return this.#documents.includes(loaderId);
  }

  /** Calls `begin` for a step. Resolves when the server has answered, the document has begun, or the step failed; null after `ms`. */
  async stepped(begin: () => Promise<unknown>, ms: number): Promise<Step | null> {
    this.#step = null;
    await begin();
    const known = (step: Step) => step.answered || this.#arrived(step);
    const done = await this.#until(() => this.#step !== null && known(this.#step), ms);
    return done ? this.#step : null;
  }

  /** Waits until the step's document has begun, or it has failed. False after `ms`. */
  arrived(step: Step, ms: number): Promise<boolean> {
    return this.#until(() => this.#arrived(step), ms);
  }

  #arrived({ loaderId, kept, error }: Step): boolean {
    return this.committed(loaderId) || kept || error !== null;
  }

  get words(): string {
    if (this.#reached.has("load")) return "readyState complete";
    return this.#reached.has("DOMContentLoaded")
      ? "readyState interactive (document parsed, not all of it loaded)"
      : "readyState loading (document not fully parsed)";
  }

  /** Waits until the document of `loaderId`, or another new one, has begun. False after `ms`. */
  begun(loaderId: string, ms: number): Promise<boolean> {
    const present = this.#documents.at(-1);
    return this.#until(() => this.committed(loaderId) || this.#documents.at(-1) !== present, ms);
  }

  /** Waits until the document of `loaderId`, or one it redirected to, has loaded or was stopped; with `anyhow`, a stop does not count. */
  async loaded(loaderId: string, ms: number, past?: "anyhow"): Promise<LoadEnd> {
    const here = () => this.committed(loaderId) && !this.#leaving;
    const ended = await this.#until(
      () => here() && (this.#parsed("load") || (this.#stopped && past === undefined)),
      ms,
    );
    if (!ended) return "late";
    return this.#parsed("load") ? "loaded" : "stopped";
  }

  /** Waits until no navigation is running and the document is parsed, or will not be. False after `ms`. */
  settled(ms: number): Promise<boolean> {
    // Before the first event, the tab shows its initial empty page.
    const parsed = () => this.#documents.length === 0 || this.#parsed("DOMContentLoaded") || this.#stopped;
    return this.#until(() => this.#ended || (!this.#leaving && parsed()), ms);
  }

  #parsed(milestone: Milestone): boolean {
    return this.#reached.has(milestone) || this.#endless;
  }

  /** Whether the present document has reached the milestone and is not being left. */
  reached(milestone: Milestone): boolean {
    // Before the first event, the tab shows its initial empty page.
    return !this.#leaving && (this.#documents.length === 0 || this.#parsed(milestone));
  }

  /** Waits until the tab's first navigation has a document, or ended without one; then for `closingMs`, as a download closes the tab. */
  async firstOver(ms: number, closingMs: number): Promise<void> {
    await this.#until(() => this.#ended || this.#first === "shown" || this.#first === "none", ms);
    if (this.#first === "none") await this.#until(() => this.#ended, closingMs);
  }

  /** The tab has closed. */
  end(): void {
    this.#ended = true;
    this.#changed();
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  async #until(holds: () => boolean, ms: number): Promise<boolean> {
    if (holds()) return true;
    let watcher = (): void => {};
    const held = new Promise<void>((resolve) => {
      watcher = () => {
        if (holds()) resolve();
      };
      this.#watchers.add(watcher);
    });
    const outcome = await within(held, ms);
    this.#watchers.delete(watcher);
    return outcome !== null;
  }
}
