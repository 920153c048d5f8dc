/** Adds the cookies of a file to one profile. */
import type { Cookie, RefusedCookie } from "../../protocol/cookies.ts";
import { Fault } from "../../protocol/faults.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { ProfilePageApi } from "../../protocol/messages/profile.ts";
import { netscapeEntries } from "../../protocol/netscape-cookies.ts";
import type { OperationsContext } from "./context.ts";
import { type CookieFile, readCookieFile } from "./cookie-file.ts";
import { whileOpen } from "./while-open.ts";

/** Throws `invalid` when cookies are given and none is readable. */
export function readableCookies(given: unknown[] | string, mayBeNone: boolean): CookieFile {
  const entries = typeof given === "string" ? netscapeEntries(given) : given;
  const file = readCookieFile(entries, Date.now());
  const [first] = file.refused;
  if (file.cookies.length > 0 || (mayBeNone && entries.length === 0)) return file;
  throw new Fault(
    "invalid",
    first === undefined
      ? "the file must contain at least one cookie"
      : `cookie 1 of ${entries.length}: ${first.error}`,
  );
}

export async function importCookies(
  context: OperationsContext,
  { profileId, cookies: given, replace = false }: Parameters<OperationsApi["importCookies"]>[0],
): ReturnType<OperationsApi["importCookies"]> {
  const file = readableCookies(given, replace);
  const { keepSessionCookies } = await context.library.readSettings({});
  return whileOpen(context, profileId, async (page, wasOpen) => {
    const { taken, refused } = await setCookies(page, file, replace);
    const forgotten = taken.filter((cookie) => cookie.expires < 0).length;
    return { taken: taken.length, forgotten: wasOpen || keepSessionCookies ? 0 : forgotten, refused };
  });
}

/** `refused` has those that cannot be read too. */
export async function setCookies(
  page: Pick<ProfilePageApi, "writeCookies">,
  { cookies, refused }: CookieFile,
  replace: boolean,
): Promise<{ taken: Cookie[]; refused: RefusedCookie[] }> {
  const wanted = cookies.map(({ cookie }) => cookie);
  const wrote = await page.writeCookies({ cookies: wanted, replace });
  const bad = new Set(wrote.refused.map(({ index }) => index));
  const byBrowser = wrote.refused.map(({ index, error }) => ({
    index: cookies[index]?.index ?? index,
    error,
  }));
  return {
    taken: wanted.filter((_, index) => !bad.has(index)),
    refused: [...refused, ...byBrowser].sort((a, b) => a.index - b.index),
  };
}
