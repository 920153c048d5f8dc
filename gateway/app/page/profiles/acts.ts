/** Actions on several profiles at a time, each with one notice at its end. */
import type { Cookie } from "../../../../protocol/cookies.ts";
import { app, get, post } from "../api.ts";
import { attempt } from "../notices.tsx";
import { download } from "../parts/download.ts";

/** Few, so that connections stay free for the page's other calls. */
const atOnce = 3;

async function forEach(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const waiting = [...ids].reverse();
  const failures: string[] = [];
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      await act(id).catch((error: unknown) =>
        failures.push(error instanceof Error ? error.message : String(error)),
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const [first] = failures;
  if (first === undefined) return;
  throw new Error(ids.length === 1 ? first : `${failures.length} of ${ids.length} failed: ${first}`);
}

export const profiles = (count: number) => (count === 1 ? "1 profile" : `${count.toLocaleString()} profiles`);

/** Without idle stop, because a person uses them (protocol/README.md, "Idle stop"). */
export function openProfiles(ids: readonly string[]): Promise<boolean> {
  const open = (id: string) => post(`/v1/profiles/${id}/launch`, { idle_timeout_secs: 0 });
  return attempt(() => forEach(ids, open), ids.length === 1 ? undefined : `${profiles(ids.length)} opened.`);
}

export function closeProfiles(ids: readonly string[]): Promise<boolean> {
  return attempt(() => forEach(ids, (id) => post(`/v1/profiles/${id}/stop`)));
}

export function restoreProfiles(profileIds: string[]): Promise<boolean> {
  return attempt(() => app.restoreProfiles({ profileIds }), `${profiles(profileIds.length)} restored.`);
}

export async function exportCookies(profile: { id: string; slug: string }): Promise<void> {
  const cookies = await get<Cookie[]>(`/v1/profiles/${profile.id}/cookies`);
  download(`${profile.slug}-cookies.json`, `${JSON.stringify(cookies, null, 2)}\n`, "application/json");
}

/** Returns the notice. Throws when the file is not a JSON array of cookies, or when no cookie was imported. */
export async function importCookies(profileId: string, file: File): Promise<string> {
  const parsed = parse(await file.text());
  const { taken, forgotten, refused } = await app.importCookies({ profileId, cookies: parsed });
  const [first] = refused;
  if (taken === 0 && first !== undefined) throw new Error(`No cookie was imported: ${first.error}`);
  const parts = [taken === 1 ? "1 cookie imported." : `${taken} cookies imported.`];
  if (forgotten > 0)
    parts.push(
      `Session cookies that were not kept: ${forgotten}. Open the profile before the import to use them.`,
    );
  if (first !== undefined)
    parts.push(`${refused.length} rejected; cookie ${first.index + 1}: ${first.error}`);
  return parts.join(" ");
}

/** JSON, or the text of a cookies.txt, whose fields are separated by tabs. */
function parse(text: string): unknown[] | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.includes("\t")) return text;
    throw new Error("The file is not JSON. Export cookies as JSON and choose that file.");
  }
  // Playwright's storage state has the cookies under a key.
  const inside: unknown =
    typeof value === "object" && value !== null && "cookies" in value ? value.cookies : value;
  if (Array.isArray(inside)) return inside satisfies Cookie[] | unknown[];
  throw new Error(
    "The file must contain an array of cookies, as exported by Playwright, Puppeteer or EditThisCookie.",
  );
}
