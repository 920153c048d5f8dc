/** The verb network. It takes no turn: what it reads was reported before. */
import type { NetworkRequest } from "../../../protocol/verbs/network.ts";
import type { Work } from "./work.ts";

const usual = 100;

export const work: Work<"network"> = async (
  { tabs, requests },
  { tab_id: tabId, since, limit = usual, ...query },
) => {
  if (tabId !== undefined) tabs.existing(tabId);
  requests.begin();
  const { type, failed } = query;
  const fits = (request: NetworkRequest) =>
    (tabId === undefined || request.tab_id === tabId) &&
    (type === undefined || request.type === type) &&
    (failed !== true || request.error !== undefined || (request.status ?? 0) >= 400);
  const { entries, cursor } = requests.log.read(since, limit, fits);
  return { requests: entries, cursor };
};
