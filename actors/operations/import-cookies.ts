/** Adds the cookies of a file to one profile. */
import { Fault } from "../../protocol/faults.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { OperationsContext } from "./context.ts";
import { readCookieFile } from "./cookie-file.ts";
import { whileOpen } from "./while-open.ts";

export async function importCookies(
  context: OperationsContext,
  { profileId, cookies: entries }: Parameters<OperationsApi["importCookies"]>[0],
): ReturnType<OperationsApi["importCookies"]> {
  const { cookies, refused } = readCookieFile(entries, Date.now());
  const [first] = refused;
  if (cookies.length === 0)
    throw new Fault(
      "invalid",
      first === undefined
        ? "the file must contain at least one cookie"
        : `cookie 1 of ${entries.length}: ${first.error}`,
    );
  const given = cookies.map(({ cookie }) => cookie);
  return whileOpen(context, profileId, async (page, wasOpen) => {
    const wrote = await page.writeCookies({ cookies: given });
    const bad = new Set(wrote.refused.map(({ index }) => index));
    const taken = given.filter((_, index) => !bad.has(index));
    const byBrowser = wrote.refused.map(({ index, error }) => ({
      index: cookies[index]?.index ?? index,
      error,
    }));
    return {
      taken: taken.length,
      forgotten: wasOpen ? 0 : taken.filter((cookie) => cookie.expires < 0).length,
      refused: [...refused, ...byBrowser].sort((a, b) => a.index - b.index),
    };
  });
}
