/** Runs a browser's verbs one at a time. Each ends by its timeout, and verbs behind one that hung fail soon. */
import { Fault } from "../../../protocol/faults.ts";
import { type CdpSession, failureOf } from "../cdp/session.ts";
import { within } from "../within.ts";

/** The queue of one profile's verbs. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** A verb that failed after this long may have met something that hangs, so the next verb checks first. */
const slowMs = 5_000;
const lookMs = 2_000;
const clearUpMs = 2_000;

export interface Verb {
  name: string;
  timeoutMs: number;
  overdue?: string;
  leaves?: true;
}

const silences = {
  browser: "the browser does not answer: stop the profile and launch it again",
  page: "the page does not answer: navigate to leave it, or stop the profile",
} as const;
type Silent = keyof typeof silences;

export interface TurnTabs {
  root: Pick<CdpSession, "send">;
  all(): readonly { crashed: boolean; session: Pick<CdpSession, "send"> }[];
  giveUp(): void;
}

export class Turns {
  readonly #tabs: TurnTabs;
  readonly #inTurn: InTurn;
  #suspect = false;
  /** The last hang found. Verbs that were already waiting then need no check of their own. */
  #hung: { silent: Silent; at: number } | null = null;

  constructor(tabs: TurnTabs, inTurn: InTurn) {
    this.#tabs = tabs;
    this.#inTurn = inTurn;
  }

  /** Runs a verb in its turn; throws `conflict` after its timeout. `work` calls `look` once it answers dialogs, which block a page. */
  run<T>(verb: Verb, work: (look: () => Promise<void>) => Promise<T>): Promise<T> {
    const askedAt = performance.now();
    return new Promise<T>((resolve, reject) => {
      const turn = async () => {
        const begunAt = performance.now();
        const answered = work(() => this.#look(verb, askedAt)).then(resolve, (error: unknown) => {
          if (performance.now() - begunAt > slowMs) this.#suspect = true;
          reject(error);
        });
        if ((await within(answered, verb.timeoutMs)) !== null) return;
        this.#suspect = true;
        const words = verb.overdue ?? `${verb.name} got no answer from the page within ${verb.timeoutMs} ms`;
        reject(new Fault("conflict", words));
        const cleared = within(answered, clearUpMs);
        if ((await this.#findSilent()) !== null || (await cleared) === null) this.#tabs.giveUp();
      };
      this.#inTurn(turn).catch(reject);
    });
  }

  /** After a hang: throws while the part that this verb needs still hangs. */
  async #look({ leaves }: Verb, askedAt: number): Promise<void> {
    if (!this.#suspect) return;
    const known = this.#hung !== null && askedAt <= this.#hung.at ? this.#hung.silent : null;
    const silent = known ?? (await this.#findSilent());
    // A page that hangs can still be left.
    if (silent === "browser" || (silent === "page" && leaves !== true))
      throw new Fault("conflict", silences[silent]);
  }

  async #findSilent(): Promise<Silent | null> {
    const [tab] = this.#tabs.all();
    const asksPage = tab !== undefined && !tab.crashed;
    const [browser, page] = await Promise.allSettled([
      this.#tabs.root.send("Browser.getVersion", {}, lookMs),
      asksPage ? tab.session.send("Runtime.evaluate", { expression: "0" }, lookMs) : null,
    ]);
    const silent = isOverdue(browser) ? "browser" : isOverdue(page) ? "page" : null;
    this.#suspect = silent !== null;
    this.#hung = silent === null ? null : { silent, at: performance.now() };
    return silent;
  }
}

function isOverdue(outcome: PromiseSettledResult<unknown>): boolean {
  return outcome.status === "rejected" && failureOf(outcome.reason) === "overdue";
}
