/** The verb reload: loads the current tab's page again. */
import { historyOf, step } from "./history.ts";
import type { Work } from "./work.ts";

export const work: Work<"reload"> = (turn, { ignore_cache: ignoreCache = false }) =>
  turn.onTab(async (tab) => {
    const { currentIndex, entries } = await historyOf(tab);
    const url = entries[currentIndex]?.url ?? "";
    await step(turn, tab, url, () => tab.session.send("Page.reload", { ignoreCache }));
    return {};
  });
