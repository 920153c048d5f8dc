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
/** If no renderer ended while one used this much processor time, it runs an endless script. End it; its data is kept. */
const closeWorkMs = 1_000;
/** If none ended for this long, the rest are blocked. On a busy machine a page needs seconds to write its last data. */
const closeMs = 2_500;

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
async function pagesGone(root: CdpSession, pages: ReadonlySet<string>, before: Renderers): Promise<void> {
  let closedAt: number | null = null;
  let endedAt = Date.now();
  let workBefore = before;
  let askedAt = endedAt;
  for (;;) {
    const running = await renderersOf(root);
    const left = [...running].filter(([pid]) => before.has(pid));
    if (left.length === 0) return;
    if (left.length < workBefore.size) {
      endedAt = Date.now();
      workBefore = new Map(left);
    }
    if (closedAt === null) {
      const open = (await pagesOf(root)).filter((id) => pages.has(id));
      if (open.length === 0) closedAt = Date.now();
      else if (Date.now() - askedAt > againMs) {
        askedAt = Date.now();
        await closePages(root, open);
      }
    }
    const areOverdue = closedAt === null ? Date.now() - endedAt > closeMs : Date.now() - closedAt > lingerMs;
    for (const [pid, workMs] of left)
      if (areOverdue || workMs - (workBefore.get(pid) ?? workMs) > closeWorkMs) endRenderer(pid);
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

/** The processor time of each, in milliseconds, by process id. */
type Renderers = ReadonlyMap<number, number>;

async function renderersOf(root: CdpSession): Promise<Renderers> {
  const { processInfo } = await root.send("SystemInfo.getProcessInfo", {});
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  return new Map(renderers.map(({ id, cpuTime }) => [id, cpuTime * 1_000]));
}

async function pagesOf(root: CdpSession): Promise<string[]> {
  const { targetInfos } = await root.send("Target.getTargets", {});
  return targetInfos.filter(({ type }) => type === "page").map(({ targetId }) => targetId);
}
