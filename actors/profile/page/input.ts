/** Sends input to a tab. While a dialog shows, the browser drops input to its pages, so dropped events are found and sent again. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import type { CdpSession, Params } from "../cdp/session.ts";
import type { Dialogs } from "./dialogs.ts";

/** One input event; a dialog does not drop `Input.insertText`. */
export type InputEvent = {
  [Method in "Input.dispatchKeyEvent" | "Input.dispatchMouseEvent" | "Input.insertText"]: {
    method: Method;
    params: Params<Method>;
  };
}["Input.dispatchKeyEvent" | "Input.dispatchMouseEvent" | "Input.insertText"];

export class TabInput {
  readonly #session: CdpSession;
  readonly #dialogs: Dialogs;
  /** Events sent so far, and those that the page has not taken yet. */
  sent = 0;
  untaken = 0;

  constructor(session: CdpSession, dialogs: Dialogs) {
    this.#session = session;
    this.#dialogs = dialogs;
  }

  /** Resolves when the page has handled all events, in order. Throws `conflict` when dialogs never stop. */
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

  /** Sends all at once; returns the dropped events. A dialog that opens stays until the end, so that all later events are dropped too. */
  async #giveOnce(events: readonly InputEvent[]): Promise<InputEvent[]> {
    const letGo = this.#dialogs.hold();
    const lost: InputEvent[] = [];
    const handled: Promise<unknown>[] = [];
    const taken: Promise<unknown>[] = [];
    for (const event of events) {
      let answered = false;
      this.sent += 1;
      this.untaken += 1;
      const sent = this.#session.send(event.method, event.params, limits.cdpCallTimeoutMs, () => {
        answered = true;
        this.untaken -= 1;
      });
      handled.push(sent);
      // The browser's main thread answers this itself, and so before it reports an event that a page received.
      const behind = this.#session.send(...nothing, limits.cdpCallTimeoutMs, () => {
        if (answered && this.#dialogs.showing) lost.push(event);
      });
      taken.push(behind);
    }
    await Promise.all([Promise.all(taken).finally(letGo), ...handled]);
    return lost;
  }
}

const nothing = ["Input.setIgnoreInputEvents", { ignore: false }] as const;

/** Splits before inserted text, which is never dropped and so must not overtake dropped keys. */
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
