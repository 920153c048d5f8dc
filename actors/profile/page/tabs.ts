/** The browser's tabs, each with a session of ours, and the current one for verbs. */
import { Fault } from "../../../protocol/faults.ts";
import type { Connection } from "../cdp/connection.ts";
import { type CdpSession, failureOf } from "../cdp/session.ts";
import { within } from "../within.ts";
import { Dialogs } from "./dialogs.ts";
import { Frames } from "./frames.ts";
import { TabInput } from "./input.ts";
import { Loading } from "./loading.ts";
import { isAddress, ownTitle, type Place } from "./place.ts";

export interface Tab {
  targetId: string;
  session: CdpSession;
  frames: Frames;
  loading: Loading;
  input: TabInput;
  /** Resolves when the tab's frames are known. Rejects when the tab closes before. */
  ready: Promise<void>;
  /** At the last check; a change to true means that the tab was activated. */
  visible: boolean;
  crashed: boolean;
}

const askVisibleMs = 300;

export class Tabs {
  readonly dialogs = new Dialogs();
  readonly #connection: Connection;
  readonly #recent: Tab[] = [];
  /** Since the verb began: the address of a window that a page opens, and the newest tab. */
  #announced: string | null = null;
  #fresh: Tab | null = null;
  #onAttached: (() => void) | null = null;
  #attached = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Follows all tabs; resolves with the first. `attached`: identity/apply.ts pauses all targets, and the tabs use its sessions. */
  async open(attached = false): Promise<Tab> {
    const { root } = this.#connection;
    this.#attached = attached;
    const first = new Promise<Tab>((resolve, reject) => {
      root.on("Target.attachedToTarget", ({ sessionId, targetInfo, waitingForDebugger }) => {
        const session = this.#connection.session(sessionId);
        if (session === undefined) return;
        if (targetInfo.type === "page" && targetInfo.subtype === undefined) {
          const tab = this.#add(targetInfo.targetId, session);
          if (attached) resolve(tab);
          else tab.ready.then(() => resolve(tab), reject);
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

  /** The tab opened or activated last, brought to the front, since hidden tabs get no input. Throws `conflict` when there is none. */
  async current(): Promise<Tab> {
    if (this.#recent.length > 1) await this.#noticeActivated();
    const tab = this.#recent[0];
    if (tab === undefined) throw new Fault("conflict", "the browser has no open tab");
    if (!tab.visible) await this.activate(tab);
    this.#announced = null;
    this.#fresh = null;
    return tab;
  }

  /** The tab of `current`, without activating it; null when there is none. */
  async shown(): Promise<Tab | null> {
    if (this.#recent.length > 1) await this.#noticeActivated();
    return this.#recent[0] ?? null;
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
    this.#toFront(tab);
    await tab.session.send("Page.bringToFront", {});
    tab.visible = true;
  }

  /** Address and title of the current tab, from the browser, which answers for a hung renderer too. */
  async whereNow(): Promise<Place> {
    for (let tab = this.#recent[0]; tab !== undefined; tab = this.#recent[0]) {
      try {
        const { targetId } = tab;
        const { targetInfo } = await this.#connection.root.send("Target.getTargetInfo", { targetId });
        const { title } = targetInfo;
        const url = targetInfo.url || (tab.frames.main?.url ?? ""); // A page can be told before the browser has its address.
        return { url, title: isAddress({ url, title }) ? await ownTitle(tab.session) : title };
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
    await tab.ready;
    const blank = (url: string | undefined) => !url || url === ":" || url.startsWith("about:blank");
    if (!blank(this.#announced ?? "") && blank(tab.frames.main?.url)) await tab.loading.navigated(settleMs);
    await tab.loading.settled(settleMs);
  }

  #add(targetId: string, session: CdpSession): Tab {
    const frames = new Frames(this.#connection, targetId, this.#attached);
    const loading = new Loading(session, targetId);
    this.dialogs.watch(session);
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
      this.#announced = url;
    });
    this.#recent.unshift(tab);
    this.#fresh = tab;
    this.#onAttached?.();
    return tab;
  }

  #drop(gone: Tab): void {
    const index = this.#recent.indexOf(gone);
    if (index !== -1) this.#recent.splice(index, 1);
    this.dialogs.forget(gone.session);
  }

  #toFront(tab: Tab): void {
    const index = this.#recent.indexOf(tab);
    if (index > 0) this.#recent.splice(index, 1);
    if (index !== 0) this.#recent.unshift(tab);
  }

  /** Asks each tab whether it is visible, as no event reports an activation. */
  async #noticeActivated(): Promise<void> {
    const asked = this.#recent.map(async (tab) => {
      const expression = "document.visibilityState === 'visible'";
      const answer = tab.session.send("Runtime.evaluate", { expression, returnByValue: true });
      const reply = await within(answer, askVisibleMs).catch(() => null);
      const visible = reply === null ? tab.visible : reply.value.result.value === true;
      const activated = visible && !tab.visible;
      tab.visible = visible;
      return activated ? tab : null;
    });
    for (const tab of await Promise.all(asked)) if (tab !== null) this.#toFront(tab);
  }
}
