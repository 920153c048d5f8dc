/** JavaScript dialogs. One that opens during a verb is answered and reported; any other is left to the user. */
import { limits } from "../../../protocol/limits.ts";
import type { MetDialog } from "../../../protocol/verb.ts";
import type { DialogAnswer, DialogReply } from "../../../protocol/verbs/dialog.ts";
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";

/** The browser's error while a page is being left: its dialog takes no answer then, but another navigation closes it. */
export const leavingNow = "Not attached to an active page";
const leadsNowhere = "vbscript:0";

interface OpenDialog {
  dialog: MetDialog;
  /** What a prompt has in its field already. */
  prefilled: string | undefined;
}

export class Dialogs {
  readonly #open = new Map<CdpSession, OpenDialog>();
  readonly #showing = new Set<CdpSession>();
  #met: MetDialog[] | null = null;
  #holders = 0;
  #closing = false;
  #onGone: (() => void)[] = [];
  #next: DialogAnswer | null = null;
  #last: MetDialog | null = null;

  /** `driven`: whether verbs drive the tab. Dialogs of other tabs are their clients' own. */
  watch(session: CdpSession, driven: () => boolean): void {
    session.on("Page.javascriptDialogOpening", (event) => {
      if (!driven() && !this.#closing) return;
      const dialog = { type: event.type, message: event.message.slice(0, limits.dialogCharsMax) };
      this.#open.set(session, { dialog, prefilled: event.defaultPrompt });
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

  /** The state in one tab, or in all. */
  state(of: CdpSession | null): DialogReply {
    const showing = [...this.#open].find(([session]) => of === null || session === of);
    return {
      showing: showing === undefined ? null : { ...showing[1].dialog, tab_id: showing[0].targetId ?? "" },
      last: this.#last,
      next: this.#next,
    };
  }

  /** Answers the dialog that shows in one tab, or in any. Without one, or with `remember`, the next one gets the answer. */
  async answer(of: CdpSession | null, answer: DialogAnswer): Promise<void> {
    const showing = [...this.#open.keys()].find((session) => of === null || session === of);
    if (showing === undefined || answer.remember === true) this.#next = answer;
    if (showing !== undefined) await this.#answer(showing, answer);
  }

  /** Answers every dialog from now on, since open pages close without asking (protocol/README.md, "Profile status"). */
  answerAll(): void {
    this.#closing = true;
    this.#answerAsDue();
  }

  #answerAsDue(): void {
    const due = this.#closing || (this.#met !== null && this.#holders === 0);
    if (due)
      for (const session of [...this.#open.keys()]) this.#answer(session, this.#due(session)).catch(() => {}); // `#answer` handles every error.
  }

  /** The answer to a dialog: accepts beforeunload, and dismisses all others while the browser closes. */
  #due(session: CdpSession): DialogAnswer {
    if (this.#open.get(session)?.dialog.type === "beforeunload") return { accept: true };
    if (this.#closing) return { accept: false };
    const next = this.#next;
    if (next?.remember !== true) this.#next = null;
    return next ?? { accept: false };
  }

  async #answer(session: CdpSession, { accept, text }: DialogAnswer): Promise<void> {
    const open = this.#open.get(session);
    if (open === undefined) return;
    this.#open.delete(session);
    const { type } = open.dialog;
    const dialog: MetDialog =
      accept && type !== "beforeunload" ? { ...open.dialog, accepted: true } : open.dialog;
    this.#last = dialog;
    if (this.#met !== null && this.#met.length < limits.dialogsMax) this.#met.push(dialog);
    const promptText = text ?? open.prefilled;
    const given = accept && promptText !== undefined && type === "prompt" ? { promptText } : {};
    try {
      await session.send("Page.handleJavaScriptDialog", { accept, ...given });
    } catch (error) {
      // Another error means that another client has answered, or that the tab has closed.
      if (String(error).includes(leavingNow))
        await session.send("Page.navigate", { url: leadsNowhere }).catch(() => {});
    }
  }
}
