/** The verb dialog. It takes no turn, because a turn dismisses what shows. */
import type { Work } from "./work.ts";

export const work: Work<"dialog"> = async ({ tabs }, { tab_id: tabId }) =>
  tabs.dialogs.state(tabId === undefined ? null : tabs.existing(tabId).session);
