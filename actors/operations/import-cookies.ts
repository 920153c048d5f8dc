/** Adds the cookies of a file to one profile. */
import { Fault } from "../../protocol/faults.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { OperationsContext } from "./context.ts";
import { readCookieFile } from "./cookie-file.ts";
import { netscapeEntries } from "./netscape-cookies.ts";
import { whileOpen } from "./while-open.ts";

export async function importCookies(
  context: OperationsContext,
  { profileId, cookies: given, replace = false }: Parameters<OperationsApi["importCookies"]>[0],
): ReturnType<OperationsApi["importCookies"]> {
  const entries = typeof given === "string" ? netscapeEntries(given) : given;
  const { cookies, refused } = readCookieFile(entries, Date.now());
  const [first] = refused;
  const empties = replace && entries.length === 0;
  if (cookies.length === 0 && !empties)
    throw new Fault(
      "invalid",
      first === undefined
        ? "the file must contain at least one cookie"
        : `cookie 1 of ${entries.length}: ${first.error}`,
    );
  const wanted = cookies.map(({ cookie }) => cookie);
  const { keepSessionCookies } = await context.library.readSettings({});
  return whileOpen(context, profileId, async (page, wasOpen) => {
    const wrote = await page.writeCookies({ cookies: wanted, replace });
    const bad = new Set(wrote.refused.map(({ index }) => index));
    const taken = wanted.filter((_, index) => !bad.has(index));
    const byBrowser = wrote.refused.map(({ index, error }) => ({
      index: cookies[index]?.index ?? index,
      error,
    }));
    return {
      taken: taken.length,
      forgotten: wasOpen || keepSessionCookies ? 0 : taken.filter((cookie) => cookie.expires < 0).length,
      refused: [...refused, ...byBrowser].sort((a, b) => a.index - b.index),
    };
  });
}
