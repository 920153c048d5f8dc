/** Reads and deletes the cookies of one profile. */
import { isOf } from "../../protocol/cookies.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { OperationsContext } from "./context.ts";
import { whileOpen } from "./while-open.ts";

export function exportCookies(
  context: OperationsContext,
  { profileId, domain }: Parameters<OperationsApi["exportCookies"]>[0],
): ReturnType<OperationsApi["exportCookies"]> {
  return whileOpen(context, profileId, async (page) => {
    const { cookies } = await page.readCookies({});
    return { cookies: domain === undefined ? cookies : cookies.filter((cookie) => isOf(cookie, domain)) };
  });
}

export function deleteCookies(
  context: OperationsContext,
  { profileId, domain }: Parameters<OperationsApi["deleteCookies"]>[0],
): ReturnType<OperationsApi["deleteCookies"]> {
  return whileOpen(context, profileId, (page) => page.deleteCookies({ domain }));
}
