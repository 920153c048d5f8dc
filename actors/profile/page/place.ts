/** The address and title of a tab. */
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";
import type { Tab } from "./tab.ts";

export interface Place {
  url: string;
  title: string;
}

const askTitleMs = 300;

/** Schemes that the browser shows in a tab. */
export const shownSchemes =
  /^(https?|data|blob|about|javascript|file|filesystem|view-source|chrome(-\w+)?|devtools):/i;

/** Whether a page that opens this address in a new tab shows an empty document there. */
export const isBlank = (url: string | null | undefined) =>
  !url || /^(:$|about:blank|data:|javascript:)/i.test(url);

/** From the browser, which answers for a hung renderer too. Throws a refusal of the browser when the tab has closed. */
export async function placeOf(root: CdpSession, { targetId, frames, session }: Tab): Promise<Place> {
  const { targetInfo } = await root.send("Target.getTargetInfo", { targetId });
  const { title } = targetInfo;
  // A page may be announced before the browser has its address, and one that shows nothing has none.
  const url = targetInfo.url || frames.main?.url || "about:blank";
  return { url, title: isAddress({ url, title }) ? await ownTitle(session) : title };
}

/** Whether the title is a form of the address, which the browser shows for a page without a title. */
function isAddress({ title, url }: Place): boolean {
  if (!/[.:/]/.test(title)) return false;
  return !/\s/.test(title) || url.startsWith("data:") || url.includes(encodeURI(title));
}

/** `document.title`; empty when the page does not answer. */
async function ownTitle(session: CdpSession): Promise<string> {
  const asked = session.send("Runtime.evaluate", { expression: "document.title", returnByValue: true });
  const reply = await within(asked, askTitleMs).catch(() => null);
  const title: unknown = reply?.value.result.value;
  return typeof title === "string" ? title : "";
}
