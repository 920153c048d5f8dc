/**
 * What a browser holds of its profile in memory goes to disk before it is told to end. By itself it does not: an ending Chromium kills
 * its storage process while that may still be writing (of stops with six at once, 15 of 450 lost local storage and 3 cookies).
 */
import { limits } from "../../../protocol/limits.ts";
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession } from "../cdp/session.ts";
import { patiently } from "../patience.ts";

/** Nobody's; its storage can be cleared. What was asked before is done when the answer comes, and cookies are flushed for it. */
const nobody = "https://nobody.invalid";
/**
 * What the page that is asked is to show: nothing, as this is no address. Shown `about:blank` it gets a renderer process, which takes
 * 70 ms of processor time to start and to end, and answers nothing of what is asked here.
 */
const noAddress = "http://";
/** How often the browser is asked whether the closed pages' processes have ended. */
const lookMs = 3;
/** A page that is just giving way to the next one forgets that it was told to close. */
const againMs = 100;
/** One that has no page left and still runs is kept by a worker. It would hold its pages' storage open. */
const lingerMs = 100;
/** When none has ended for so long, those that are left never will: their scripts run without end. What they have written is kept. */
const closeMs = 1_000;

/**
 * Closes every page, as a user would, so that pages hear of their end, waits until what they have written is on disk, and leaves the browser without pages.
 * Takes longer than `limits.browserKeepStorageMs` only while the browser works (`workMs`). Rejects with a CdpError when the browser refuses or goes away.
 */
export async function keepStorage(
  connection: Connection,
  workMs: () => number | null = () => null,
): Promise<void> {
  const usualMs = limits.browserKeepStorageMs;
  await patiently(keep(connection), workMs, { ...limits.browserClosePatience, usualMs });
}

async function keep(connection: Connection): Promise<void> {
  const { root } = connection;
  const [renderers, pages] = await Promise.all([renderersOf(root), pagesOf(root)]);
  const [asker] = await Promise.all([openAsker(connection), closePages(root, pages)]);
  await pagesGone(root, new Set(pages), renderers);
  await asker.send("Storage.clearDataForOrigin", { origin: nobody, storageTypes: "local_storage,cookies" });
}

/** A page that nobody sees and that is announced as none: only a page's session can be asked about storage. */
async function openAsker(connection: Connection): Promise<CdpSession> {
  const { root } = connection;
  const { targetId } = await root.send("Target.createTarget", { url: noAddress, hidden: true });
  const { sessionId } = await root.send("Target.attachToTarget", { targetId, flatten: true });
  const session = connection.session(sessionId);
  if (session === undefined) throw new Error("the browser refused a session to flush its storage");
  return session;
}

async function closePages(root: CdpSession, pages: readonly string[]): Promise<void> {
  const close = (targetId: string) => root.send("Target.closeTarget", { targetId });
  await Promise.allSettled(pages.map(close)); // One may have closed by itself meanwhile.
}

/** A renderer's storage is written when its process ends, which is when it is known that nothing more comes of it. */
async function pagesGone(
  root: CdpSession,
  pages: ReadonlySet<string>,
  before: ReadonlySet<number>,
): Promise<void> {
  let closedAt: number | null = null;
  let endedAt = Date.now();
  let askedAt = endedAt;
  let running = before.size;
  for (;;) {
    const left = [...(await renderersOf(root))].filter((pid) => before.has(pid));
    if (left.length === 0) return;
    if (left.length < running) endedAt = Date.now();
    running = left.length;
    if (closedAt === null) {
      const open = (await pagesOf(root)).filter((id) => pages.has(id));
      if (open.length === 0) closedAt = Date.now();
      else if (Date.now() - askedAt > againMs) {
        askedAt = Date.now();
        await closePages(root, open);
      }
    }
    const overdue = closedAt === null ? Date.now() - endedAt > closeMs : Date.now() - closedAt > lingerMs;
    if (overdue) for (const pid of left) endRenderer(pid);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** The browser has just named it as its own. */
function endRenderer(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone meanwhile.
  }
}

async function renderersOf(root: CdpSession): Promise<Set<number>> {
  const { processInfo } = await root.send("SystemInfo.getProcessInfo", {});
  return new Set(processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id));
}

async function pagesOf(root: CdpSession): Promise<string[]> {
  const { targetInfos } = await root.send("Target.getTargets", {});
  return targetInfos.filter(({ type }) => type === "page").map(({ targetId }) => targetId);
}
