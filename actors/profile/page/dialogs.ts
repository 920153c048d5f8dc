/** JavaScript dialogs: none may hang a verb. Those met during a verb are dismissed and reported; others are the user's. */
import type { MetDialog } from "../../../protocol/requests.ts";
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";

/**
 * What the browser says when the page that shows a dialog is just being left. The next document waits for the dialog then and no
 * answer reaches it, for ever. A further navigation takes the dialog away; one to a scheme that the browser refuses goes nowhere.
 */
const leavingNow = "Not attached to an active page";
const leadsNowhere = "vbscript:0";

export class Dialogs {
  /** Open ones that were not answered, by session: a dialog blocks its whole tab, so there is one at most. */
  readonly #open = new Map<CdpSession, MetDialog>();
  readonly #showing = new Set<CdpSession>();
  #met: MetDialog[] | null = null;
  #holders = 0;
  #closing = false;
  #onGone: (() => void)[] = [];

  /** Hears of the dialogs of a tab. */
  watch(session: CdpSession): void {
    session.on("Page.javascriptDialogOpening", (event) => {
      this.#open.set(session, { type: event.type, message: event.message });
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

  /** Whether one is there, answered or not: then pages take no input. */
  get showing(): boolean {
    return this.#showing.size > 0;
  }

  /** Waits until none is there, at most so long. */
  async gone(ms: number): Promise<void> {
    if (!this.showing) return;
    await within(new Promise<void>((resolve) => this.#onGone.push(resolve)), ms);
  }

  /** Dialogs stay until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
      this.#answerAsDue();
    };
  }

  /** A verb begins: dialogs that are open, and those to come, are answered until the returned function ends it. */
  collect(): () => MetDialog[] {
    const met: MetDialog[] = [];
    this.#met = met;
    this.#answerAsDue();
    return () => {
      if (this.#met === met) this.#met = null;
      return met;
    };
  }

  /** From now on every dialog is answered at once: open pages close without asking (protocol/README.md, "Profile status"). */
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
    this.#met?.push(dialog);
    const accept = dialog.type === "beforeunload";
    session.send("Page.handleJavaScriptDialog", { accept }).catch((error: unknown) => {
      // Otherwise another client has answered first, or the tab is gone; then there is nothing left to do.
      if (String(error).includes(leavingNow))
        session.send("Page.navigate", { url: leadsNowhere }).catch(() => {});
    });
  }
}
