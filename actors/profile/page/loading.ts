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

/** A step in the tab's history, or a reload: what is known of it. */
export interface Step {
  loaderId: string;
  within: boolean;
  /** By the server. */
  answered: boolean;
  /** Arrived without a load: within the document, or at one that the browser has kept. */
  kept: boolean;
  /** Only while the session reports requests, as are answers of the server. */
  error: string | null;
}

/** Documents to remember, since a page may be replaced before it loads. */
const documentsKept = 16;

export class Loading {
  readonly #documents: string[] = [];
  readonly #reached = new Set<Milestone>();
  readonly #watchers = new Set<() => void>();
  #leaving = false;
  /** The browser has stopped loading the present document. */
  #stopped = false;
  #endless = false;
  #step: Step | null = null;
  #navigated = false;
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(session: CdpSession, mainFrameId: string) {
    const changed = () => {
      for (const watcher of [...this.#watchers]) watcher();
    };
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
      if (event.frameId === mainFrameId && event.disposition === "currentTab") this.#leaving = true;
    });
    session.on("Page.frameStartedNavigating", (event) => {
      const { frameId, loaderId, navigationType } = event;
      if (frameId !== mainFrameId) return;
      this.#leaving = navigationType !== "sameDocument" && navigationType !== "historySameDocument";
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
      changed();
    });
    session.on("Page.frameNavigated", ({ frame, type }) => {
      if (frame.id !== mainFrameId) return;
      this.#navigated = true;
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

  committed(loaderId: string): boolean {
    return this.#documents.includes(loaderId);
  }

  /** Takes a step by `begin`. Resolves once it was answered, has begun its document, or failed; null after `ms`. */
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

  /** Waits until the load of the document of `loaderId`, or of one it redirected to, has ended; with `anyhow`, also past a stop. */
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
    return this.#until(() => !this.#leaving && parsed(), ms);
  }

  #parsed(milestone: Milestone): boolean {
    return this.#reached.has(milestone) || this.#endless;
  }

  /** Whether the present document has come so far, and is not being left. */
  reached(milestone: Milestone): boolean {
    // Before the first event, the tab shows its initial empty page.
    return !this.#leaving && (this.#documents.length === 0 || this.#parsed(milestone));
  }

  navigated(ms: number): Promise<boolean> {
    return this.#until(() => this.#navigated, ms);
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
