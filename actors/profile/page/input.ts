/**
 * Gives a tab its input so that none is lost. While a dialog shows, the browser drops what keys and mouse send to the pages it blocks,
 * and answers at once as if they had it: such events are found by that, and given again when the dialog is gone.
 */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { CdpSession, Params } from "../cdp/session.ts";
import type { Dialogs } from "./dialogs.ts";

/** One event for a tab; `Input.insertText` is text as an input method gives it, which no dialog keeps away. */
export type InputEvent = {
  [Method in "Input.dispatchKeyEvent" | "Input.dispatchMouseEvent" | "Input.insertText"]: {
    method: Method;
    params: Params<Method>;
  };
}["Input.dispatchKeyEvent" | "Input.dispatchMouseEvent" | "Input.insertText"];

export class TabInput {
  readonly #session: CdpSession;
  readonly #dialogs: Dialogs;

  constructor(session: CdpSession, dialogs: Dialogs) {
    this.#session = session;
    this.#dialogs = dialogs;
  }

  /** Resolves when the page has handled them all, in this order. Throws `conflict` when dialogs without an end keep it from that. */
  async give(events: readonly InputEvent[]): Promise<void> {
    for (const stretch of stretchesOf(events)) {
      let left = stretch;
      for (let since = Date.now(); left.length > 0; ) {
        const lost = await this.#giveOnce(left);
        if (lost.length < left.length) since = Date.now();
        else if (Date.now() - since > limits.cdpCallTimeoutMs)
          throw new Fault("conflict", "the page shows one dialog after another and takes no input between");
        if (lost.length > 0) await this.#dialogs.gone(limits.cdpCallTimeoutMs);
        left = lost;
      }
    }
  }

  /**
   * Sends them without waiting for each, as the browser hands input on in the order it comes; answers those that were lost. A dialog
   * that opens meanwhile stays until the last has been taken: what comes after the first lost one is so lost as well, and in order.
   */
  async #giveOnce(events: readonly InputEvent[]): Promise<InputEvent[]> {
    const letGo = this.#dialogs.hold();
    const lost: InputEvent[] = [];
    const handled: Promise<unknown>[] = [];
    const taken: Promise<unknown>[] = [];
    for (const event of events) {
      let answered = false;
      const sent = this.#session.send(event.method, event.params, limits.cdpCallTimeoutMs, () => {
        answered = true;
      });
      handled.push(sent);
      // The browser's main thread answers this itself: an event that a page got is answered later, as that takes a way there and back.
      const behind = this.#session.send(...nothing, limits.cdpCallTimeoutMs, () => {
        if (answered && this.#dialogs.showing) lost.push(event);
      });
      taken.push(behind);
    }
    await Promise.all([Promise.all(taken).finally(letGo), ...handled]);
    return lost;
  }
}

/** What it asks for is so already. */
const nothing = ["Input.setIgnoreInputEvents", { ignore: false }] as const;

/** Inserted text is never lost, so it may not be sent before it is known that the keys before it were not. */
function stretchesOf(events: readonly InputEvent[]): InputEvent[][] {
  const stretches: InputEvent[][] = [];
  let before: InputEvent["method"] | null = null;
  for (const event of events) {
    const begins = before === null || (event.method === "Input.insertText" && before !== "Input.insertText");
    if (begins) stretches.push([event]);
    else stretches.at(-1)?.push(event);
    before = event.method;
  }
  return stretches;
}
