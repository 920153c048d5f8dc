/** Lists, opens, activates and closes tabs, in turn with the verbs. */

import { Fault } from "../../../protocol/faults.ts";
import type { VerbApi } from "../../../protocol/generated/verb-table.ts";
import type { TabCalls } from "../../../protocol/messages/profile.ts";
import type { TabRecord } from "../../../protocol/requests.ts";
import { createDeferred } from "../../kernel/deferred.ts";
import { failureOf } from "../cdp/session.ts";
import { within } from "../within.ts";
import { checkUrl } from "./navigate.ts";
import { type Place, placeOf } from "./place.ts";
import type { Tab } from "./tab.ts";
import type { Tabs } from "./tabs.ts";
import type { InTurn } from "./verb-turns.ts";

const closeMs = 5_000;

export function createTabCalls(tabs: Tabs, inTurn: InTurn, verbs: Pick<VerbApi, "navigate">): TabCalls {
  const calls: TabCalls = {
    async listTabs() {
      const records = await Promise.all(tabs.all().map((tab) => recordOf(tabs, tab)));
      return records.filter((record) => record !== null);
    },
    async openTab({ url }) {
      if (url !== undefined) checkUrl(url);
      const tab = await inTurn(() => tabs.create());
      const { targetId } = tab;
      if (url === undefined) return recordOfPlace(tabs, tab, { url: "about:blank", title: "" });
      try {
        return recordOfPlace(tabs, tab, await verbs.navigate({ url, tab_id: targetId }));
      } catch (error) {
        // The caller does not know its id.
        await calls.closeTab({ tabId: targetId }).catch(() => {});
        throw error;
      }
    },
    async activateTab({ tabId }) {
      await inTurn(() => tabs.activate(tabs.existing(tabId)));
      return null;
    },
    async closeTab({ tabId }) {
      await inTurn(async () => {
        const { targetId, session } = tabs.existing(tabId);
        const closed = createDeferred<void>();
        const off = tabs.root.on("Target.detachedFromTarget", ({ sessionId }) => {
          if (sessionId === session.id) closed.resolve();
        });
        try {
          await tabs.root.send("Target.closeTarget", { targetId });
          if ((await within(closed.promise, closeMs)) === null)
            throw new Fault("conflict", `the tab ${tabId} did not close within ${closeMs} ms`);
        } finally {
          off();
        }
      });
      return null;
    },
  };
  return calls;
}

/** Null for a tab that has just closed. */
async function recordOf(tabs: Tabs, tab: Tab): Promise<TabRecord | null> {
  try {
    return recordOfPlace(tabs, tab, await placeOf(tabs.root, tab));
  } catch (error) {
    if (failureOf(error) !== "refused") throw error;
    return null;
  }
}

function recordOfPlace(tabs: Tabs, tab: Tab, { url, title }: Place): TabRecord {
  const { targetId, openerId } = tab;
  return {
    tab_id: targetId,
    url,
    title,
    current: tabs.isCurrent(tab),
    ...(openerId === null ? {} : { opener_tab_id: openerId }),
  };
}
