/** Where a tab is: its address and its title, as the browser gives them and as the page does. */
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
