/**
 * A tab whose next document waits for a process that never comes to it, since a script runs there for ever. Once the document has been given
 * to its process no command reaches the tab any more, so what is left is to end that process: the tab, its history and what its pages
 * keep for their session stay, and it can be navigated again.
 */
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";
import { cutOff } from "./evaluate.ts";
import type { Tab, Tabs } from "./tabs.ts";

/** Between two looks at the processes. */
const lookMs = 250;
/** Processor time in which a process that is not in a loop has put a document in its place, however busy the machine is. */
const spunSecs = 1;
/** A window of the same group that is busy for longer is held to share the process that loops: it can still be told to end what runs. */
const siblingBusyMs = 1_000;
/** The browser waits ten seconds for the process that does not answer before it begins a trace. */
const traceMs = 20_000;

/**
 * Waits until the document has begun (false), or until the process that the tab waits for has been ended (true). False as well when neither
 * comes within `ms`: then what the tab waits for is no loop.
 */
export async function endedLoop(tabs: Tabs, tab: Tab, loaderId: string, ms: number): Promise<boolean> {
  const until = Date.now() + ms;
  const left = () => Math.max(0, until - Date.now());
  const before = await rendererSecs(tabs.root);
  let siblingsAsked = false;
  while (left() > 0) {
    if (await tab.loading.begun(loaderId, Math.min(lookMs, left()))) return false;
    if (tab.crashed) return true;
    const now = await rendererSecs(tabs.root);
    const spinning = [...now].filter(([pid, secs]) => secs - (before.get(pid) ?? 0) >= spunSecs);
    if (spinning.length === 0) continue;
    if (!siblingsAsked) {
      siblingsAsked = true;
      const siblings = await group(tabs, tab);
      await Promise.all(siblings.map((sibling) => cutOff(sibling, siblingBusyMs).catch(() => {})));
      if (siblings.length > 0) continue;
    }
    // What else is busy, another tab or a worker, is left alone: which process it is has to be found out where it may be another's.
    const [only, another] = (await isAlone(tabs)) ? spinning : [];
    const pid = only === undefined || another !== undefined ? await processOf(tab) : only[0];
    if (pid !== null && spinning.some(([one]) => one === pid)) end(pid);
  }
  return false;
}

/**
 * The other tabs that the tab opened or was opened by, over however many. Those of its site run in its process, in one thread; a tab that
 * nothing ties to it does only when the browser has no more processes to give.
 */
async function group(tabs: Tabs, tab: Tab): Promise<Tab[]> {
  const { targetInfos } = await tabs.root.send("Target.getTargets", {});
  const ids = new Set([tab.targetId]);
  for (let size = 0; size < ids.size; ) {
    size = ids.size;
    for (const { targetId, openerId } of targetInfos) {
      if (openerId === undefined || !(ids.has(targetId) || ids.has(openerId))) continue;
      ids.add(targetId).add(openerId); // An opener that is closed still ties those that it opened.
    }
  }
  return tabs.all().filter((other) => other !== tab && ids.has(other.targetId));
}

/** Whether all that pages run is the one tab's: a worker of several pages may be in a process of its own, and be the first that is busy. */
async function isAlone(tabs: Tabs): Promise<boolean> {
  if (tabs.all().length !== 1) return false;
  const { targetInfos } = await tabs.root.send("Target.getTargets", {});
  return !targetInfos.some(({ type }) => type === "service_worker" || type === "shared_worker");
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}

/** Processor seconds of each process that runs pages, by its id. */
async function rendererSecs(root: CdpSession): Promise<Map<number, number>> {
  const { processInfo } = await root.send("SystemInfo.getProcessInfo", {});
  return new Map(
    processInfo.filter(({ type }) => type === "renderer").map(({ id, cpuTime }) => [id, cpuTime]),
  );
}

interface TraceStart {
  args?: { data?: { frames?: { frame: string; processId: number }[] } };
}

/** The process of a tab's page: what a trace of the tab says when it begins, the protocol says nowhere else. Null when somebody else is tracing. */
async function processOf({ session, targetId }: Tab): Promise<number | null> {
  let pid: number | null = null;
  const told = session.on("Tracing.dataCollected", ({ value }) => {
    const frames = (value as TraceStart[]).flatMap(({ args }) => args?.data?.frames ?? []); // Its events, which the protocol leaves open.
    pid = frames.find(({ frame }) => frame === targetId)?.processId ?? pid;
  });
  let completed = (): void => {};
  const complete = new Promise<void>((resolve) => {
    completed = session.on("Tracing.tracingComplete", () => resolve());
  });
  try {
    const includedCategories = ["disabled-by-default-devtools.timeline"];
    const traceConfig = { includedCategories, excludedCategories: ["*"] };
    await session.send("Tracing.start", { traceConfig, transferMode: "ReportEvents" }, traceMs);
    await session.send("Tracing.end", {}, traceMs);
    await within(complete, traceMs);
    return pid;
  } catch {
    return null;
  } finally {
    told();
    completed();
  }
}
