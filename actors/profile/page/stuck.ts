/** Kills the process of a tab whose next document waits behind an endless script. The tab, its history and session storage survive. */
import type { CdpSession } from "../cdp/session.ts";
import { within } from "../within.ts";
import { cutOff } from "./evaluate.ts";
import type { Tab } from "./tab.ts";
import type { Tabs } from "./tabs.ts";

const lookMs = 250;
/** Processor seconds after which a process without a new document is in a loop, on any machine. */
const spunSecs = 1;
/** A related tab that is busy for longer shares the looping process, and can still terminate the script. */
const siblingBusyMs = 1_000;
/** The browser starts a trace only after waiting ten seconds for a process that hangs. */
const traceMs = 20_000;

/** True when the looping process was killed; false when the document has begun, or after `ms` without a loop. */
export async function endedLoop(
  tabs: Tabs,
  tab: Tab,
  begun: (ms: number) => Promise<boolean>,
  ms: number,
): Promise<boolean> {
  const until = Date.now() + ms;
  const left = () => Math.max(0, until - Date.now());
  const before = await rendererSecs(tabs.root);
  let siblingsAsked = false;
  while (left() > 0) {
    if (await begun(Math.min(lookMs, left()))) return false;
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
    // Leave other busy tabs and workers alone: identify the process unless this tab is the only one.
    const [only, another] = (await isAlone(tabs)) ? spinning : [];
    const pid = only === undefined || another !== undefined ? await processOf(tab) : only[0];
    if (pid !== null && spinning.some(([one]) => one === pid)) end(pid);
  }
  return false;
}

/** Tabs related to this one as opener or opened, also indirectly: those of its site share its process and thread. */
async function group(tabs: Tabs, tab: Tab): Promise<Tab[]> {
  const { targetInfos } = await tabs.root.send("Target.getTargets", {});
  const ids = new Set([tab.targetId]);
  for (let size = 0; size < ids.size; ) {
    size = ids.size;
    for (const { targetId, openerId } of targetInfos) {
      if (openerId === undefined || !(ids.has(targetId) || ids.has(openerId))) continue;
      ids.add(targetId).add(openerId); // Closed openers still relate their tabs.
    }
  }
  return tabs.all().filter((other) => other !== tab && ids.has(other.targetId));
}

/** Whether the tab is alone: a worker shared by pages may have its own process, and clients may have tabs of their own. */
async function isAlone(tabs: Tabs): Promise<boolean> {
  const { targetInfos } = await tabs.root.send("Target.getTargets", {});
  const alive = targetInfos.filter(({ type }) => ["page", "service_worker", "shared_worker"].includes(type));
  return alive.length === 1;
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

async function rendererSecs(root: CdpSession): Promise<Map<number, number>> {
  const { processInfo } = await root.send("SystemInfo.getProcessInfo", {});
  return new Map(
    processInfo.filter(({ type }) => type === "renderer").map(({ id, cpuTime }) => [id, cpuTime]),
  );
}

interface TraceStart {
  args?: { data?: { frames?: { frame: string; processId: number }[] } };
}

/** The process of a tab's page, which only the start of a trace reports. Null when another client is tracing. */
async function processOf({ session, targetId }: Tab): Promise<number | null> {
  let pid: number | null = null;
  const off = session.on("Tracing.dataCollected", ({ value }) => {
    const frames = (value as TraceStart[]).flatMap(({ args }) => args?.data?.frames ?? []); // The protocol does not define the events.
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
    off();
    completed();
  }
}
