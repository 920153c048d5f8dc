/** Writes a browser's pages' data to disk before it is closed: a closing Chromium may kill its storage process during a write. */
import { limits } from "../../../protocol/limits.ts";
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession } from "../cdp/session.ts";
import { patiently } from "../patience.ts";

/** An origin without data. The reply to clearing it comes after all earlier writes, and flushes cookies. */
const nobody = "https://nobody.invalid";
/** An invalid URL, because `about:blank` would start a renderer process that is not needed. */
const noAddress = "http://";
const lookMs = 3;
/** A page that is being replaced ignores its close, so close it again after this. */
const againMs = 100;
/** A renderer without pages that still runs is kept by a worker, which keeps its storage open. End it after this. */
const lingerMs = 100;
/** If no renderer ended for this long, the rest run endless scripts. End them; their data is kept. */
const closeMs = 1_000;

/** Closes every page and waits until its data is on disk, longer than usual only with progress (`workMs`). May reject with a CdpError. */
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

/** A hidden page without events: only a page's session accepts storage commands. */
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
  await Promise.allSettled(pages.map(close)); // A page may have closed by itself.
}

/** Waits for the renderers' end, which is when their last data is written. */
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

function endRenderer(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
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
