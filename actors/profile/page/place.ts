/** Where a tab is: its address and its title, from the browser or, at less cost, from the document itself. */
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";

export interface Place {
  url: string;
  title: string;
}

/** How long a page may take to tell its title. */
const askTitleMs = 300;

/** For a page without a title the browser puts some form of its address: then only the page itself knows. */
export function isAddress({ title, url }: Place): boolean {
  if (!/[.:/]/.test(title)) return false;
  return !/\s/.test(title) || url.startsWith("data:") || url.includes(encodeURI(title));
}

/** `document.title`; empty for a page that does not answer. */
export async function ownTitle(session: CdpSession): Promise<string> {
  const asked = session.send("Runtime.evaluate", { expression: "document.title", returnByValue: true });
  const reply = await within(asked, askTitleMs).catch(() => null);
  const title: unknown = reply?.value.result.value;
  return typeof title === "string" ? title : "";
}

/** What the document says of itself; null when it cannot, or when it stands in for a page that failed to load. */
export async function documentPlace(session: CdpSession): Promise<Place | null> {
  try {
    const asked = { expression: "[location.href, document.title]", returnByValue: true };
    const { result } = await session.send("Runtime.evaluate", asked, Number.POSITIVE_INFINITY);
    const [url, title]: unknown[] = Array.isArray(result.value) ? result.value : [];
    if (typeof url !== "string" || typeof title !== "string") return null;
    return url.startsWith("chrome-error:") ? null : { url, title };
  } catch {
    return null;
  }
}
