/** The tabs of the profile, each with a session of ours, and the current one for verbs. Tabs of a client's own context are not among them. */
import { Fault } from "../../../protocol/faults.ts";
import type { Connection } from "../cdp/connection.ts";
import { type CdpSession, failureOf, type Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import { Dialogs } from "./dialogs.ts";
import { Frames } from "./frames.ts";
import { TabInput } from "./input.ts";
import { Loading } from "./loading.ts";
import { isBlank, type Place, placeOf, shownSchemes } from "./place.ts";
import type { Tab } from "./tab.ts";

const askVisibleMs = 300;
const noTab = "the profile has no open tab of its own: navigate opens one";

export class Tabs {
  readonly dialogs = new Dialogs();
  readonly #connection: Connection;
  readonly #hasWindow: boolean;
  /** Driven tabs, the current one first, then the others. */
  readonly #recent: Tab[] = [];
  #begun = false;
  #contextId: string | undefined;
  /** Acts of clients at the last check, to distinguish their activations from a user's. */
  #clientActs = 0;
  /** Since the verb began: the address of a window that a page opens, and the newest tab. */
  #announced: string | null = null;
  #fresh: Tab | null = null;
  /** A tab that the page opens and whose address has not been announced. */
  #unnamed: Tab | null = null;
  #onAttached: (() => void) | null = null;
  #attached = false;

  /** `hasWindow`: a user may activate tabs in the browser's window. */
  constructor(connection: Connection, { hasWindow }: { hasWindow: boolean }) {
    this.#connection = connection;
    this.#hasWindow = hasWindow;
  }

  /** Follows all tabs; resolves with the first. `attached`: identity/apply-to-targets.ts pauses all targets, and the tabs use its sessions. */
  async open(attached = false): Promise<Tab> {
    const { root } = this.#connection;
    this.#attached = attached;
    const first = new Promise<Tab>((resolve, reject) => {
      root.on("Target.attachedToTarget", ({ sessionId, targetInfo, waitingForDebugger }) => {
        const session = this.#connection.session(sessionId);
        if (session === undefined) return;
        if (targetInfo.type === "page" && targetInfo.subtype === undefined) {
          this.#contextId ??= targetInfo.browserContextId;
          if (targetInfo.browserContextId === this.#contextId) {
            const tab = this.#add(targetInfo, session);
            if (attached) resolve(tab);
            else tab.ready.then(() => resolve(tab), reject);
          }
        }
        if (!attached && waitingForDebugger)
          session.send("Runtime.runIfWaitingForDebugger", {}).catch(() => {}); // It has closed.
      });
    });
    root.on("Target.detachedFromTarget", ({ sessionId }) => {
      const gone = this.#recent.find((tab) => tab.session.id === sessionId);
      if (gone !== undefined) this.#drop(gone);
    });
    if (attached) return first;
    const attach = root.send("Target.setAutoAttach", {
      autoAttach: true,
      // Otherwise a window that a script opens can block that script for ever.
      waitForDebuggerOnStart: true,
      flatten: true,
      filter: [{ type: "page" }, { exclude: true }],
    });
    return attach.then(() => first);
  }

  /** The current tab, brought to the front, since hidden tabs get no input. Throws `conflict` when there is none. */
  async current(): Promise<Tab> {
    for (;;) {
      if (this.#recent.length > 1) await this.#noticeActivated();
      const tab = this.#now;
      if (tab === null) throw new Fault("conflict", noTab);
      try {
        if (!tab.visible) await this.activate(tab);
        await tab.ready;
      } catch (error) {
        if (!tab.session.closed) throw error;
        this.#drop(tab);
        continue;
      }
      this.#announced = null;
      this.#unnamed = null;
      this.#fresh = null;
      return tab;
    }
  }

  /** The current tab, or a new one when there is none. */
  async currentOrNew(): Promise<Tab> {
    if (this.#now === null) await this.create();
    return this.current();
  }

  /** A new tab, which is the current one from now on. */
  async create(): Promise<Tab> {
    const { targetId } = await this.root.send("Target.createTarget", { url: "about:blank" });
    const tab = this.byTarget(targetId);
    if (tab === undefined) throw new Fault("conflict", "the browser opened no tab; launch the profile again");
    this.#toFront(tab);
    return tab;
  }

  /** A tab by its id, brought to the front; the current one stays the current one. Throws `not-found`. */
  async named(targetId: string): Promise<Tab> {
    if (this.#recent.length > 1) await this.#noticeActivated();
    const tab = this.existing(targetId);
    if (!tab.visible) await tab.session.send("Page.bringToFront", {});
    tab.visible = true;
    await tab.ready;
    if (tab !== this.#now) this.#toFront(tab, this.#now === null ? 0 : 1);
    return tab;
  }

  /** Throws `not-found`. */
  existing(targetId: string): Tab {
    const tab = this.byTarget(targetId);
    if (tab !== undefined) return tab;
    throw new Fault("not-found", `the profile has no open tab ${targetId}; list the tabs to get their ids`);
  }

  isCurrent(tab: Tab): boolean {
    return tab === this.#now;
  }

  /** A tab that shows, by preference the newest: what a user would see. Null when there is none. */
  async shown(): Promise<Tab | null> {
    if (this.#recent.length > 1) await this.#noticeActivated();
    return this.#recent.findLast((tab) => tab.visible && !tab.driven) ?? this.#recent[0] ?? null;
  }

  get #now(): Tab | null {
    const [tab] = this.#recent;
    return tab?.driven === true ? tab : null;
  }

  /** Commands of clients that open, close or show a tab, so far. */
  get clientActs(): number {
    return this.#connection.clientActs();
  }

  get root(): CdpSession {
    return this.#connection.root;
  }

  all(): readonly Tab[] {
    return this.#recent;
  }

  giveUp(): void {
    for (const { session, frames } of this.#recent) {
      const sessions = new Set([session, ...frames.all().map((frame) => frame.session)]);
      for (const one of sessions) one.rejectPending("overdue", "cancelled");
    }
  }

  byTarget(targetId: string): Tab | undefined {
    return this.#recent.find((tab) => tab.targetId === targetId);
  }

  async activate(tab: Tab): Promise<void> {
    if (this.#recent[0] === tab && tab.visible) return;
    await tab.session.send("Page.bringToFront", {});
    tab.visible = true;
    this.#toFront(tab);
  }

  /** Address and title of the current tab, from the browser, which answers for a hung renderer too. */
  async whereNow(): Promise<Place> {
    for (let tab = this.#now; tab !== null; tab = this.#now) {
      try {
        return await placeOf(this.root, tab);
      } catch (error) {
        if (failureOf(error) !== "refused") throw error;
        this.#drop(tab); // The tab has just closed; its event will follow.
      }
    }
    return { url: "", title: "" };
  }

  /** Waits for a tab that the page opened since the verb began, until it shows its document. */
  async opened(attachMs: number, settleMs: number): Promise<void> {
    if (this.#announced !== null && this.#fresh === null) {
      const attached = new Promise<void>((resolve) => {
        this.#onAttached = resolve;
      });
      await within(attached, attachMs); // It may be blocked, or not be a tab.
      this.#onAttached = null;
    }
    const tab = this.#fresh;
    if (tab === null) return;
    try {
      await tab.ready;
      if (!isBlank(this.#announced) && isBlank(tab.frames.main?.url))
        await tab.loading.firstOver(settleMs, attachMs);
      await tab.loading.settled(settleMs);
    } catch (error) {
      if (!tab.session.closed) throw error; // As after a download, or by its own script.
    }
  }

  #add({ targetId, openerId }: Protocol.Target.TargetInfo, session: CdpSession): Tab {
    const frames = new Frames(this.#connection, targetId, this.#attached);
    const loading = new Loading(session, targetId);
    this.dialogs.watch(session, () => tab.driven);
    const ready = Promise.all([frames.follow(session, null), session.send("Inspector.enable", {})]);
    const tab: Tab = {
      targetId,
      session,
      frames,
      loading,
      input: new TabInput(session, this.dialogs),
      ready: ready.then(() => {}),
      visible: true,
      crashed: false,
      openerId: openerId ?? null,
      driven: false,
    };
    tab.ready.catch(() => {}); // A tab may close before its first use.
    session.on("Inspector.targetCrashed", () => {
      tab.crashed = true;
      session.rejectPending("page-crashed", "the page has crashed");
    });
    session.on("Inspector.targetReloadedAfterCrash", () => {
      tab.crashed = false;
    });
    session.on("Page.windowOpen", ({ url }) => {
      if (tab !== this.#now) return;
      this.#announced = url;
      this.#goToOpened();
    });
    this.#recent.push(tab);
    if (!this.#begun) this.#toFront(tab);
    this.#begun = true;
    if (openerId !== undefined && openerId === this.#now?.targetId) {
      this.#unnamed = tab;
      this.#goToOpened();
    }
    return tab;
  }

  /** Goes to a tab that the current tab's page opens, if both its address and the tab are known. Picture in picture has no address. */
  #goToOpened(): void {
    const tab = this.#unnamed;
    if (tab === null || this.#announced === null) return;
    this.#unnamed = null;
    if (shownSchemes.test(this.#announced || "about:blank")) {
      this.#toFront(tab);
      this.#fresh = tab;
    } else this.#announced = null;
    this.#onAttached?.();
  }

  #drop(gone: Tab): void {
    const index = this.#recent.indexOf(gone);
    if (index === -1) return;
    this.#recent.splice(index, 1);
    this.dialogs.forget(gone.session);
    gone.loading.end();
    // The current tab has closed: its opener is the next one, else the one driven last.
    const opener = index === 0 && gone.openerId !== null ? this.byTarget(gone.openerId) : undefined;
    if (opener?.driven === true) this.#toFront(opener);
  }

  /** Makes an open tab the current one, or with `place` 1 the one driven last. */
  #toFront(tab: Tab, place: 0 | 1 = 0): void {
    const index = this.#recent.indexOf(tab);
    if (index === -1) return; // It has just closed.
    tab.driven = true;
    this.#recent.splice(index, 1);
    this.#recent.splice(place, 0, tab);
  }

  /** Asks each tab whether it is visible, as no event reports an activation by the user. */
  async #noticeActivated(): Promise<void> {
    const byClient = this.clientActs !== this.#clientActs;
    this.#clientActs = this.clientActs;
    const asked = this.#recent.map(async (tab) => {
      const expression = "document.visibilityState === 'visible'";
      const answer = tab.session.send("Runtime.evaluate", { expression, returnByValue: true });
      const reply = await within(answer, askVisibleMs).catch(() => null);
      const visible = reply === null ? tab.visible : reply.value.result.value === true;
      const activated = visible && !tab.visible;
      tab.visible = visible;
      return activated ? tab : null;
    });
    const activated = await Promise.all(asked);
    if (!this.#hasWindow || byClient) return;
    for (const tab of activated) if (tab !== null) this.#toFront(tab);
  }
}
