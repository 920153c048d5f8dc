/** The verb console. It takes no turn: what it reads was reported before. */
import type { ConsoleMessage } from "../../../protocol/verbs/console.ts";
import type { Work } from "./work.ts";

const usual = 100;

export const work: Work<"console"> = async (
  { tabs, messages },
  { tab_id: tabId, since, limit = usual, level },
) => {
  if (tabId !== undefined) tabs.existing(tabId);
  await messages.begin();
  const fits = (message: ConsoleMessage) =>
    (tabId === undefined || message.tab_id === tabId) && (level === undefined || message.level === level);
  const { entries, cursor } = messages.log.read(since, limit, fits);
  return { messages: entries, cursor };
};
