/** The page verbs: one at a time on the current tab, with dialogs, faults and the tab's place. */
import { limits } from "../../../protocol/limits.ts";
import type { ProfilePageApi } from "../../../protocol/messages/profile.ts";
import type { MetDialogs, PageReply } from "../../../protocol/requests.ts";
import { failureOf } from "../cdp/session.ts";
import { within } from "../within.ts";
import { AxCache } from "./ax-cache.ts";
import { type Element, Elements, release } from "./elements.ts";
import { evaluate } from "./evaluate.ts";
import { crashed, verbFault } from "./faults.ts";
import { nextTask } from "./in-page.ts";
import { pressKey, type } from "./keyboard.ts";
import { checkUrl, navigate } from "./navigate.ts";
import { click, scroll } from "./pointer.ts";
import { checkUpload, setFile } from "./set-file.ts";
import { snapshot } from "./snapshot.ts";
import { snapshotText } from "./snapshot-cut.ts";
import type { Tab, Tabs } from "./tabs.ts";
import { type InTurn, Turns, type Verb } from "./turns.ts";
import { waitForElement } from "./wait.ts";

export type PageVerbs = Omit<
  ProfilePageApi,
  "runScript" | "abortScript" | "scriptLog" | "readCookies" | "writeCookies" | "frame"
>;

/** Each verb waits for its turn; `invalid` input is refused before. */
export function createPageVerbs(tabs: Tabs, inTurn: InTurn, uploadsDir: string): PageVerbs {
  const elements = new Elements(tabs);
  const axCache = new AxCache();
  const turns = new Turns(tabs, inTurn);

  const inTab = <T extends object>(
    verb: string | Verb,
    work: (tab: Tab) => Promise<T>,
  ): Promise<T & MetDialogs> => {
    const asked = typeof verb === "string" ? { name: verb, timeoutMs: limits.pageVerbTimeoutMs } : verb;
    const { name } = asked;
    return turns.run(asked, async (look) => {
      const met = tabs.dialogs.collect();
      try {
        await look();
        const tab = await tabs.current();
        if (tab.crashed && name !== "navigate") throw crashed();
        await tab.ready;
        const own = await work(tab);
        const dialogs = met();
        return dialogs.length === 0 ? own : { ...own, dialogs };
      } catch (error) {
        throw verbFault(name, error, met());
      } finally {
        met();
      }
    });
  };

  const onTab = <T extends object>(
    verb: string | Verb,
    work: (tab: Tab) => Promise<T>,
  ): Promise<T & PageReply> =>
    inTab(verb, async (tab) => {
      const own = await work(tab);
      return { ...own, ...(await tabs.whereNow()) };
    });

  const onElement = (
    verb: string,
    nodeId: number,
    work: (element: Element) => Promise<void>,
  ): Promise<PageReply> =>
    onTab(verb, async () => {
      const element = await elements.find(nodeId);
      try {
        await acted(tabs, element.tab, () => work(element));
      } finally {
        release(element);
      }
      return {};
    });

  return {
    async navigate({ url }) {
      checkUrl(url);
      return onTab(verbs.navigate, async (tab) => {
        await navigate(tabs, tab, url);
        return {};
      });
    },
    async snapshot({ selector, ...cut }) {
      return inTab("snapshot", async (tab) => {
        const lines = await snapshot(tab, elements, axCache, selector);
        const place = await tabs.whereNow();
        const first = place.title === "" ? place.url : `${place.title} — ${place.url}`;
        return { snapshot: snapshotText(first, lines, cut), ...place };
      });
    },
    async click({ nodeId }) {
      return onElement("click", nodeId, (element) => click(element, nodeId));
    },
    async type({ nodeId, text }) {
      return onElement("type", nodeId, (element) => type(element, nodeId, text));
    },
    async pressKey({ key }) {
      return onTab("press-key", async (tab) => {
        await acted(tabs, tab, () => pressKey(tab, key));
        return {};
      });
    },
    async scroll({ amount, direction }) {
      return onTab("scroll", async (tab) => {
        await scroll(tab, direction, amount);
        return {};
      });
    },
    async evaluate({ expression }) {
      return inTab(verbs.evaluate, async (tab) => ({ result: await evaluate(tab, expression) }));
    },
    async waitForElement({ selector, timeoutMs }) {
      const verb = { name: "wait-for-element", timeoutMs: timeoutMs + limits.pageAnswerMs };
      return onTab(verb, async (tab) => ({
        node_id: await waitForElement(tab, elements, selector, timeoutMs),
      }));
    },
    async setFile({ nodeId, path }) {
      const file = await checkUpload(uploadsDir, path);
      return onElement("set-file", nodeId, (element) => setFile(element, nodeId, file));
    },
  };
}

const verbs = {
  navigate: { name: "navigate", timeoutMs: limits.navigateTimeoutMs + limits.pageAnswerMs },
  evaluate: {
    name: "evaluate",
    timeoutMs: limits.evaluateTimeoutMs + 500, // Time to end the script.
    overdue: `the expression did not end within ${limits.evaluateTimeoutMs} ms`,
  },
} as const satisfies Record<string, Verb>;

const nextTaskMs = 500;

const openedMs = 1_000;

/** Gives input and waits for a navigation or tab that it caused, so that the reply shows the new page. A tab that it closed is no error. */
async function acted(tabs: Tabs, tab: Tab, input: () => Promise<void>): Promise<void> {
  try {
    await input();
    const turn = tab.session.send("Runtime.evaluate", { expression: nextTask, awaitPromise: true });
    await within(turn, nextTaskMs).catch(() => null); // The document may have gone.
    if (tab.loading.leaving) await tab.loading.settled(limits.navigationSettleMs);
    await tabs.opened(openedMs, limits.navigationSettleMs);
  } catch (error) {
    if (failureOf(error) !== "session-closed" || !tab.session.closed) throw error;
  }
}
