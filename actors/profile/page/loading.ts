/** How far the main frame of a tab has loaded, told by its lifecycle events. */
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";

type Milestone = "DOMContentLoaded" | "load";

/** Documents remembered, to know one that was reached and left again (a page that sends its visitor on before it loads). */
const documentsKept = 16;

export class Loading {
  /** Loader ids of the latest documents, newest last. */
  readonly #documents: string[] = [];
  readonly #reached = new Set<Milestone>();
  readonly #watchers = new Set<() => void>();
  /** A navigation of the main frame to another document is under way. */
  #leaving = false;
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
    };
    session.on("Page.frameRequestedNavigation", (event) => {
      if (event.frameId === mainFrameId && event.disposition === "currentTab") this.#leaving = true;
    });
    session.on("Page.frameStartedNavigating", (event) => {
      if (event.frameId !== mainFrameId) return;
      this.#leaving =
        event.navigationType !== "sameDocument" && event.navigationType !== "historySameDocument";
      changed();
    });
    session.on("Page.navigatedWithinDocument", (event) => {
      if (event.frameId !== mainFrameId) return;
      this.#leaving = false;
      changed();
    });
    session.on("Page.frameStoppedLoading", (event) => {
      if (event.frameId !== mainFrameId) return;
      this.#leaving = false; // Also the end of one that led nowhere: a download, a 204, a stop.
      changed();
    });
    session.on("Page.frameNavigated", ({ frame, type }) => {
      if (frame.id !== mainFrameId) return;
      this.#navigated = true;
      begin(frame.loaderId);
      if (type === "BackForwardCacheRestore") {
        this.#reached.add("DOMContentLoaded").add("load"); // It comes back as it was, and says nothing again.
      }
      changed();
    });
    session.on("Page.lifecycleEvent", (event) => {
      if (event.frameId !== mainFrameId) return;
      this.#heardAt = performance.now();
      if (event.name === "init") begin(event.loaderId);
      else if (event.loaderId !== this.#documents.at(-1)) return;
      if (event.name === "DOMContentLoaded" || event.name === "load") this.#reached.add(event.name);
      changed();
    });
  }

  /** Milliseconds since the page itself last said something of its loading. */
  get quietMs(): number {
    return performance.now() - this.#heardAt;
  }

  get leaving(): boolean {
    return this.#leaving;
  }

  /** Whether this document was ever shown. */
  committed(loaderId: string): boolean {
    return this.#documents.includes(loaderId);
  }

  /** What the present document has reached, in words. */
  get words(): string {
    if (this.#reached.has("load")) return "readyState complete";
    return this.#reached.has("DOMContentLoaded")
      ? "readyState interactive (document parsed, not all of it loaded)"
      : "readyState loading (document not fully parsed)";
  }

  /** Waits until the document of `loaderId`, or any other than the present one, has begun. False when time ran out. */
  begun(loaderId: string, ms: number): Promise<boolean> {
    const present = this.#documents.at(-1);
    return this.#until(() => this.committed(loaderId) || this.#documents.at(-1) !== present, ms);
  }

  /** Waits until the document of `loaderId`, or one that it sent the visitor on to, has loaded. False when time ran out. */
  loaded(loaderId: string, ms: number): Promise<boolean> {
    return this.#until(() => this.committed(loaderId) && !this.#leaving && this.#reached.has("load"), ms);
  }

  /** Waits until no navigation is under way and the document is parsed. False when time ran out. */
  settled(ms: number): Promise<boolean> {
    // Before the first lifecycle event the tab shows the empty page that it opened with.
    const parsed = () => this.#documents.length === 0 || this.#reached.has("DOMContentLoaded");
    return this.#until(() => !this.#leaving && parsed(), ms);
  }

  /** Waits for the first navigation since we attached: of a new tab that was opened for an address. */
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
