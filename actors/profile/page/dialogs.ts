/** JavaScript dialogs. One that opens during a verb is dismissed and reported; any other is left to the user. */
import { limits } from "../../../protocol/limits.ts";
import type { MetDialog } from "../../../protocol/verb.ts";
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";

/** The browser's error while a page is being left. No answer reaches a dialog of it then; another navigation closes it. */
export const leavingNow = "Not attached to an active page";
const leadsNowhere = "vbscript:0";

export class Dialogs {
  readonly #open = new Map<CdpSession, MetDialog>();
  readonly #showing = new Set<CdpSession>();
  #met: MetDialog[] | null = null;
  #holders = 0;
  #closing = false;
  #onGone: (() => void)[] = [];

  /** `driven`: whether verbs drive the tab. Dialogs of other tabs are their clients' own. */
  watch(session: CdpSession, driven: () => boolean): void {
    session.on("Page.javascriptDialogOpening", (event) => {
      if (!driven() && !this.#closing) return;
      this.#open.set(session, { type: event.type, message: event.message.slice(0, limits.dialogCharsMax) });
      this.#showing.add(session);
      this.#answerAsDue();
    });
    session.on("Page.javascriptDialogClosed", () => this.forget(session));
  }

  forget(session: CdpSession): void {
    this.#open.delete(session);
    this.#showing.delete(session);
    if (this.showing) return;
    for (const tell of this.#onGone.splice(0)) tell();
  }

  /** Whether a dialog shows, answered or not: pages take no input then. */
  get showing(): boolean {
    return this.#showing.size > 0;
  }

  async gone(ms: number): Promise<void> {
    if (!this.showing) return;
    await within(new Promise<void>((resolve) => this.#onGone.push(resolve)), ms);
  }

  /** Leaves dialogs open until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
      this.#answerAsDue();
    };
  }

  /** Answers dialogs until the returned function is called, which returns them. */
  collect(): () => MetDialog[] {
    const met: MetDialog[] = [];
    this.#met = met;
    this.#answerAsDue();
    return () => {
      if (this.#met === met) this.#met = null;
      return met;
    };
  }

  /** Answers every dialog from now on, since open pages close without asking (protocol/README.md, "Profile status"). */
  answerAll(): void {
    this.#closing = true;
    this.#answerAsDue();
  }

  #answerAsDue(): void {
    const due = this.#closing || (this.#met !== null && this.#holders === 0);
    if (due) for (const session of [...this.#open.keys()]) this.#answer(session);
  }

  #answer(session: CdpSession): void {
    const dialog = this.#open.get(session);
    if (dialog === undefined) return;
    this.#open.delete(session);
    if (this.#met !== null && this.#met.length < limits.dialogsMax) this.#met.push(dialog);
    const accept = dialog.type === "beforeunload";
    session.send("Page.handleJavaScriptDialog", { accept }).catch((error: unknown) => {
      // Another error means that another client has answered, or that the tab has closed.
      if (String(error).includes(leavingNow))
        session.send("Page.navigate", { url: leadsNowhere }).catch(() => {});
    });
  }
}
