/** The address and title of a tab. */
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";

export interface Place {
  url: string;
  title: string;
}

const askTitleMs = 300;

/** Whether the title is a form of the address, which the browser shows for a page without a title. */
export function isAddress({ title, url }: Place): boolean {
  if (!/[.:/]/.test(title)) return false;
  return !/\s/.test(title) || url.startsWith("data:") || url.includes(encodeURI(title));
}

/** `document.title`; empty when the page does not answer. */
export async function ownTitle(session: CdpSession): Promise<string> {
  const asked = session.send("Runtime.evaluate", { expression: "document.title", returnByValue: true });
  const reply = await within(asked, askTitleMs).catch(() => null);
  const title: unknown = reply?.value.result.value;
  return typeof title === "string" ? title : "";
}
