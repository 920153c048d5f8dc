/** Pages of the short lists; those of profiles are made where the profiles are. */
import { Fault } from "../../protocol/faults.ts";
import type { PageQuery } from "../../protocol/requests.ts";

export const badPage = "limit is out of range, or after is not in the list.";

/** Throws `invalid` when `after` is not in the list. */
export function pageOf<Entry>(
  all: readonly Entry[],
  { limit = Number.POSITIVE_INFINITY, after }: PageQuery,
  idOf: (entry: Entry) => string,
): Entry[] {
  const last = after === undefined ? -1 : all.findIndex((entry) => isSameId(idOf(entry), after));
  if (after !== undefined && last < 0)
    throw new Fault("invalid", `after must be the last one of the page before, got ${JSON.stringify(after)}`);
  return all.slice(last + 1, last + 1 + limit);
}

const uuid = /^[0-9a-f-]{36}$/i;
const isSameId = (id: string, given: string) =>
  id === given || (uuid.test(id) && id.toLowerCase() === given.toLowerCase());
