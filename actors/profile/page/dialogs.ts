/** JavaScript dialogs: none may hang a verb. Those met during a verb are dismissed and reported; others are the user's. */
import type { MetDialog } from "../../../protocol/requests.ts";
import type { CdpSession } from "../cdp/session.ts";

export class Dialogs {
  /** Open ones, by session: a dialog blocks its whole tab, so there is one at most. */
  readonly #open = new Map<CdpSession, MetDialog>();
  #met: MetDialog[] | null = null;
  #closing = false;

  /** Hears of the dialogs of a tab. */
  watch(session: CdpSession): void {
    session.on("Page.javascriptDialogOpening", (event) => {
      this.#open.set(session, { type: event.type, message: event.message });
      if (this.#met !== null || this.#closing) this.#answer(session);
    });
    session.on("Page.javascriptDialogClosed", () => void this.#open.delete(session));
  }

  forget(session: CdpSession): void {
    this.#open.delete(session);
  }

  /** A verb begins: dialogs that are open, and those to come, are answered until the returned function ends it. */
  collect(): () => MetDialog[] {
    const met: MetDialog[] = [];
    this.#met = met;
    for (const session of [...this.#open.keys()]) this.#answer(session);
    return () => {
      if (this.#met === met) this.#met = null;
      return met;
    };
  }

  /** From now on every dialog is answered at once: open pages close without asking (SPEC, profile status). */
  answerAll(): void {
    this.#closing = true;
    for (const session of [...this.#open.keys()]) this.#answer(session);
  }

  #answer(session: CdpSession): void {
    const dialog = this.#open.get(session);
    if (dialog === undefined) return;
    this.#open.delete(session);
    this.#met?.push(dialog);
    // Another client may have answered first; then there is nothing left to do.
    session.send("Page.handleJavaScriptDialog", { accept: dialog.type === "beforeunload" }).catch(() => {});
  }
}
