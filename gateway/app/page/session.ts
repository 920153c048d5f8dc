/** The session of this window: from a one-time link, from this tab before a reload, or from another tab. */

/** A key of sessionStorage, which is for this origin with its port; a cookie goes to all ports of the host. */
const place = "troupe-session";
const keyMark = "#key=";
/** Another tab with a session answers at once. */
const tabsMs = 500;

/** Null: the user needs a new link. */
export const session: Promise<string | null> = openSession();

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

function takeKey(): string | null {
  // A link pasted over this page changes only the fragment, so the browser does not load anything.
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
