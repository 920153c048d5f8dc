/** What the work of a page verb uses: `NAME.ts` beside it exports one as `work` for each verb of protocol/verbs/. */
import type { VerbInputs, VerbName, VerbReplies } from "../../../protocol/generated/verb-table.ts";
import type { MetDialogs, PageReply } from "../../../protocol/verb.ts";
import type { Bridge } from "../proxy/bridge.ts";
import type { AxCache } from "./ax-cache.ts";
import type { ConsoleLog } from "./console-log.ts";
import type { Element, Elements } from "./elements.ts";
import type { Place } from "./place.ts";
import type { RequestLog } from "./request-log.ts";
import type { SnapshotVersions } from "./snapshot-since.ts";
import type { Tab } from "./tab.ts";
import type { Tabs } from "./tabs.ts";

/** One call of a verb. Each call takes one turn, by one of the first three; what throws before it refuses the call at once. */
export interface Turn {
  /** Waits for the verb's turn and works on the current tab, with its timeout; dialogs are dismissed and reported. */
  inTab<T extends object>(work: (tab: Tab) => Promise<T>): Promise<T & MetDialogs>;
  /** The same, and adds the tab's address and title. */
  onTab<T extends object>(work: (tab: Tab) => Promise<T>): Promise<T & PageReply>;
  /** The same with input to an element; without what `work` adds when the input closes the tab. */
  onElement<T>(nodeId: number, work: (element: Element) => Promise<T>): Promise<Partial<T> & PageReply>;
  /** Gives input and waits for a navigation or tab that it caused, so that the reply shows the new page. */
  acted(tab: Tab, input: () => Promise<void>): Promise<void>;
  /** Address and title after the verb: of the tab that the call names, else of the current one. */
  where(tab: Tab): Promise<Place>;
  tabs: Tabs;
  elements: Elements;
  axCache: AxCache;
  versions: SnapshotVersions;
  requests: RequestLog;
  messages: ConsoleLog;
  uploadsDir: string;
  bridge: Bridge | null;
}

export type Work<Name extends VerbName> = (turn: Turn, input: VerbInputs[Name]) => Promise<VerbReplies[Name]>;
