/** The turns of a browser's verbs: each is answered by its deadline, whatever hangs, and those behind one that hung are told soon. */
import { Fault } from "../../../protocol/faults.ts";
import { type CdpSession, failureOf } from "../cdp/session.ts";
import { within } from "../within.ts";

/** The queue that the verbs of one profile go through. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** A verb that has failed after so long may have met something that hangs: the next one looks first. */
const slowMs = 5_000;
/** How long browser and page may take to show that they answer. */
const lookMs = 2_000;
/** How long a verb that has been answered may still clear up, such as end what runs in the page. */
const clearUpMs = 2_000;

export interface Verb {
  name: string;
  /** From its turn to its answer. */
  timeoutMs: number;
  /** What its caller is told when the time is over. */
  overdue?: string;
}

/** What does not answer, and what callers are told of it. */
const silences = {
  browser: "the browser does not answer: stop the profile and launch it again",
  page: "the page does not answer: navigate to leave it, or stop the profile",
} as const;
type Silent = keyof typeof silences;

/** What turns need of the tabs. */
export interface TurnTabs {
  root: Pick<CdpSession, "send">;
  all(): readonly { crashed: boolean; session: Pick<CdpSession, "send"> }[];
  giveUp(): void;
}

export class Turns {
  readonly #tabs: TurnTabs;
  readonly #inTurn: InTurn;
  #suspect = false;
  /** When something was last seen to hang: those who were waiting then need not look again. */
  #hung: { silent: Silent; at: number } | null = null;

  constructor(tabs: TurnTabs, inTurn: InTurn) {
    this.#tabs = tabs;
    this.#inTurn = inTurn;
  }

  /**
   * Runs the work of a verb in its turn. Throws `conflict` when its time is over. The work calls `look` when it has begun to answer
   * dialogs, which silence a page: it throws when what the verb needs is known to hang.
   */
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

  /** After a verb that hung: throws when what this one needs still does not answer. */
  async #look({ name }: Verb, askedAt: number): Promise<void> {
    if (!this.#suspect) return;
    const known = this.#hung !== null && askedAt <= this.#hung.at ? this.#hung.silent : null;
    const silent = known ?? (await this.#findSilent());
    // A page that hangs can be left.
    if (silent === "browser" || (silent === "page" && name !== "navigate"))
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
