/** Runs the page verbs: one at a time on the current tab, with dialogs, faults and the tab's place. */
import { eachVerb, type VerbApi, verbs } from "../../../protocol/generated/verb-table.ts";
import { limits } from "../../../protocol/limits.ts";
import { failureOf } from "../cdp/session.ts";
import type { Bridge } from "../proxy/bridge.ts";
import { within } from "../within.ts";
import { AxCache } from "./ax-cache.ts";
import { ConsoleLog } from "./console-log.ts";
import { type Element, Elements, release } from "./elements.ts";
import { crashed, verbFault } from "./faults.ts";
import { works } from "./generated/works.ts";
import { nextTask } from "./in-page.ts";
import { type Place, placeOf } from "./place.ts";
import { RequestLog } from "./request-log.ts";
import { SnapshotVersions } from "./snapshot-since.ts";
import type { Tab } from "./tab.ts";
import type { Tabs } from "./tabs.ts";
import { type InTurn, Turns, type Verb } from "./verb-turns.ts";
import type { Turn } from "./work.ts";

/** Each verb waits for its turn; `invalid` input is refused before. */
export function createPageVerbs(
  tabs: Tabs,
  inTurn: InTurn,
  uploadsDir: string,
  bridge: Bridge | null = null,
): VerbApi {
  const parts = {
    tabs,
    elements: new Elements(tabs),
    axCache: new AxCache(),
    versions: new SnapshotVersions(),
    requests: new RequestLog(tabs),
    messages: new ConsoleLog(tabs),
    uploadsDir,
    bridge,
  };
  const turns = new Turns(tabs, inTurn);

  const turnOf = (verb: Verb, tabId: string | undefined): Turn => {
    const { name } = verb;
    const where: Turn["where"] = (tab) => (tabId === undefined ? tabs.whereNow() : placeIfOpen(tabs, tab));
    const inTab: Turn["inTab"] = (work) =>
      turns.run(verb, async (look) => {
        const met = tabs.dialogs.collect();
        parts.requests.begin();
        try {
          await look();
          const own = await onLiving(tabs, verb, tabId, work);
          const dialogs = met();
          return dialogs.length === 0 ? own : { ...own, dialogs };
        } catch (error) {
          throw verbFault(name, error, met());
        } finally {
          met();
        }
      });
    const onTab: Turn["onTab"] = (work) =>
      inTab(async (tab) => {
        const own = await work(tab);
        return { ...own, ...(await where(tab)) };
      });
    return {
      ...parts,
      inTab,
      onTab,
      where,
      onElement: <T>(nodeId: number, work: (element: Element) => Promise<T>) =>
        onTab(async (tab) => {
          const element = await parts.elements.find(nodeId, tabId === undefined ? null : tab);
          let own: T | undefined;
          try {
            await acted(tabs, element.tab, async () => {
              own = await work(element);
            });
          } finally {
            release(element);
          }
          return { ...own } as Partial<T> & object;
        }),
      acted: (tab, input) => acted(tabs, tab, input),
    };
  };

  return eachVerb(async (name, input) => {
    const verb = verbs[name];
    const timeoutMs = verb.timeoutOf?.(input) ?? verb.timeoutMs;
    return works[name](turnOf({ ...verb, timeoutMs }, input.tab_id), input);
  });
}

const triesMax = 3;
const reads: ReadonlySet<string> = new Set(
  Object.values(verbs).flatMap(({ name, access }) => (access === "read" ? [name] : [])),
);

/** Works on the current tab. If it closes without having answered anything, works on the next one, unless a repetition could do harm. */
async function onLiving<T>(
  tabs: Tabs,
  { name, leaves }: Verb,
  tabId: string | undefined,
  work: (tab: Tab) => Promise<T>,
): Promise<T> {
  const find = () => {
    if (tabId !== undefined) return tabs.named(tabId);
    return name === "navigate" ? tabs.currentOrNew() : tabs.current();
  };
  for (let tries = 1; ; tries++) {
    const tab = await find();
    if (tab.crashed && leaves !== true) throw crashed();
    const { answers } = tab.session;
    try {
      return await work(tab);
    } catch (error) {
      const early = name === "navigate" || (reads.has(name) && tab.session.answers === answers);
      if (!tab.session.closed || !early || tries === triesMax) throw error;
    }
  }
}

async function placeIfOpen(tabs: Tabs, tab: Tab): Promise<Place> {
  try {
    return await placeOf(tabs.root, tab);
  } catch (error) {
    if (failureOf(error) !== "refused") throw error;
    return { url: "", title: "" };
  }
}

const nextTaskMs = 500;

const openedMs = 1_000;

/** Down and up of a key or button. */
const lastEvents = 2;

/** A tab that the input closed is no error. If a client acted meanwhile and more than the last key or press was pending, the client closed it. */
async function acted(tabs: Tabs, tab: Tab, input: () => Promise<void>): Promise<void> {
  const { sent } = tab.input;
  const { clientActs } = tabs;
  try {
    await input();
    const turn = tab.session.send("Runtime.evaluate", { expression: nextTask, awaitPromise: true });
    await within(turn, nextTaskMs).catch(() => null); // The document may have gone.
    if (tab.loading.leaving) await tab.loading.settled(limits.navigationSettleMs);
    await tabs.opened(openedMs, limits.navigationSettleMs);
  } catch (error) {
    // The tab's end may be reported before the replies to the input that caused it.
    const byPage = clientActs === tabs.clientActs || tab.input.untaken <= lastEvents;
    const closedByInput = tab.session.closed && tab.input.sent > sent && byPage;
    if (failureOf(error) !== "session-closed" || !closedByInput) throw error;
  }
}
