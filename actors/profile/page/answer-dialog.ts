/** The verb answer-dialog. It takes no turn, because a turn dismisses what shows. */
import { Fault } from "../../../protocol/faults.ts";
import type { Work } from "./work.ts";

export const work: Work<"answerDialog"> = async ({ tabs }, { tab_id: tabId, ...answer }) => {
  if (answer.text !== undefined && !answer.accept)
    throw new Fault("invalid", "text must be left out without accept: a prompt that is dismissed takes none");
  const session = tabId === undefined ? null : tabs.existing(tabId).session;
  await tabs.dialogs.answer(session, answer);
  return tabs.dialogs.state(session);
};
