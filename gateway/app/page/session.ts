/** The session of this window: from a one-time link, from this tab before it was loaded anew, or from another tab. */

/** Kept by the tab, for this origin with its port alone; a cookie would go to every port of this machine. */
const place = "troupe-session";
const keyMark = "#key=";
/** Tabs of this origin answer at once, or there are none. */
const tabsMs = 500;

/** Null: the user has to get a link. */
export const session: Promise<string | null> = openSession();

/** What each call carries. */
export async function sessionHeaders(): Promise<Record<string, string>> {
  return { "x-troupe-session": (await session) ?? "" };
}

async function openSession(): Promise<string | null> {
  const key = takeKey();
  const opened =
    (key === null ? null : await exchange(key)) ?? sessionStorage.getItem(place) ?? (await askTabs());
  if (opened !== null) {
    sessionStorage.setItem(place, opened);
    answerTabs(opened);
  }
  return opened;
}

/** The key in the address, which is then gone from there and from the history. */
function takeKey(): string | null {
  // A link that is pasted over this page changes nothing but what stands behind the `#`.
  addEventListener("hashchange", () => location.hash.startsWith(keyMark) && location.reload());
  if (!location.hash.startsWith(keyMark)) return null;
  const key = location.hash.slice(keyMark.length);
  history.replaceState(null, "", "/");
  return key;
}

async function exchange(key: string): Promise<string | null> {
  const headers = { "content-type": "application/json" };
  const reply = await fetch("/session", { method: "POST", headers, body: JSON.stringify({ key }) });
  return reply.ok ? (await reply.json()).session : null;
}

/** A link of the page that is opened in a new tab: the tab that it comes from has the session. */
function askTabs(): Promise<string | null> {
  const tabs = new BroadcastChannel(place);
  return new Promise<string | null>((resolve) => {
    tabs.onmessage = ({ data }) => {
      if (typeof data?.session === "string") resolve(data.session);
    };
    tabs.postMessage("asking");
    setTimeout(() => resolve(null), tabsMs);
  }).finally(() => tabs.close());
}

function answerTabs(opened: string): void {
  const tabs = new BroadcastChannel(place);
  tabs.onmessage = ({ data }) => {
    if (data === "asking") tabs.postMessage({ session: opened });
  };
}
