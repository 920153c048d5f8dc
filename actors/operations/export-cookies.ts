/** The cookies of one profile. */
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { OperationsContext } from "./context.ts";
import { whileOpen } from "./while-open.ts";

export function exportCookies(
  context: OperationsContext,
  { profileId }: Parameters<OperationsApi["exportCookies"]>[0],
): ReturnType<OperationsApi["exportCookies"]> {
  return whileOpen(context, profileId, (page) => page.readCookies({}));
}
