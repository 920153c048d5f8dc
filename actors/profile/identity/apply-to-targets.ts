/** Sets a profile's values in every page, frame and worker: each target is paused at its start until it has them. */
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession, Commands, Params } from "../cdp/session.ts";
import { within } from "../within.ts";
import { type ClientWorkers, clientWorkers } from "./client-workers.ts";
import {
  type DocumentRequests,
  mendDocumentRequests,
  mendTabRequests,
  mendWorkerRequests,
} from "./corrected-requests.ts";
import { type NewTabs, watchNewTabs } from "./new-tab-requests.ts";
import { pageScriptOf } from "./page-script.ts";
import { detachFromStopped, followRestarts } from "./restarted-workers.ts";
import type { Shown } from "./shown.ts";

type Send = <Method extends keyof Commands>(method: Method, params: Params<Method>) => void;

const pauseNew = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
/** The browser's session announces shared workers. Below pages too, each would be paused once per page. */
const belowTarget = {
  ...pauseNew,
  filter: [{ type: "service_worker", exclude: true }, { type: "shared_worker", exclude: true }, {}],
};

const documents: ReadonlySet<string> = new Set(["page", "iframe", "webview"]);
const shared: ReadonlySet<string> = new Set(["shared_worker", "service_worker"]);
const workers: ReadonlySet<string> = new Set(["worker", ...shared]);

export interface AppliedIdentity {
  /** Resolves when the first page has its values; rejects when it refuses a value that every Chromium supports. */
  first: Promise<void>;
  /** Resolves when all present targets have their values, or after a timeout. */
  settled(): Promise<void>;
  newTabs: NewTabs;
  clientWorkers: ClientWorkers;
  /** Fails the requests that `refused` refuses, until the returned function is called. */
  guardRequests(...guard: Parameters<DocumentRequests["guard"]>): Promise<() => void>;
}

interface NewTarget {
  type: string;
  paused: boolean;
}

/** A worker that does not answer is resumed after this: a paused worker blocks its pages. */
const pausedMs = 1_000;
const settledMs = 3_000;

/** Follows the browser from now on. `headless`: without a window, input comes only from the service and its clients. */
export function applyIdentity(
  connection: Connection,
  { shown, headless }: { shown: Shown; headless: boolean },
): AppliedIdentity {
  const { root, session: sessionOf } = connection;
  const script = pageScriptOf(shown);
  const setUp = (session: CdpSession, target: NewTarget, before: Promise<void> | null = null) =>
    setUpTarget(connection, session, target, { shown, script, before });
  const begun = new Set<Promise<void>>();
  /** Ignores failures: such a target has closed or crashed, and is announced again if it returns. */
  const track = (work: Promise<unknown>): void => {
    const done: Promise<void> = work.then(
      () => void begun.delete(done),
      () => void begun.delete(done),
    );
    begun.add(done);
  };
  const requests = mendDocumentRequests(root, shown);
  const newTabs = watchNewTabs(root, requests.listen);
  const closing = watchSecondTabs(newTabs);
  const clients = clientWorkers();
  const stopped = detachFromStopped(connection, clients);
  const firstPage = new Promise<void>((resolve, reject) => {
    const follow = (parent: CdpSession): void => {
      parent.on("Target.attachedToTarget", ({ sessionId, targetInfo, waitingForDebugger }) => {
        const { type } = targetInfo;
        const session = sessionOf(sessionId);
        if (session === undefined || type === "browser") return; // A target of type "browser" is a client's session.
        if (documents.has(type) || workers.has(type)) follow(session);
        if (type === "page" && parent === root) closing.opened(sessionId);
        const target = { type, paused: waitingForDebugger };
        const known =
          type === "service_worker"
            ? stopped.worker(session, targetInfo, mendWorkerRequests(session, shown))
            : null;
        const done = setUp(session, target, known);
        // A worker that was stopped before does not answer until its next start.
        if (waitingForDebugger || type === "page") track(done);
        if (type === "page") done.then(() => resolve(), reject);
        else done.catch(() => {});
        if (shared.has(type)) followRestarts(session, () => track(setUp(session, target)));
        if (type === "page") stopped.tab(session, targetInfo);
      });
    };
    follow(root);
    root.on("Target.detachedFromTarget", ({ sessionId }) => closing.closed(sessionId));
  });
  const attached = root.send("Target.setAutoAttach", pauseNew);
  connection.onInput(() => newTabs.watch().end);
  const watching = headless ? null : newTabs.watch().ready;
  return {
    newTabs,
    clientWorkers: clients,
    first: Promise.all([firstPage, watching, attached]).then(() => {}),
    async settled() {
      // The reply comes after all earlier events.
      await root.send("Browser.getVersion", {}).catch(() => {});
      await within(Promise.all(begun), settledMs);
    },
    async guardRequests(what, refused) {
      const watch = newTabs.watch();
      const guard = requests.guard(what, refused);
      const end = () => {
        guard.end();
        watch.end();
      };
      await Promise.all([watch.ready, guard.ready]).catch((error: unknown) => {
        end();
        throw error;
      });
      return end;
    },
  };
}

/** A closed tab's icon may be requested after its session has gone, so the browser's session pauses requests while two tabs are open. */
function watchSecondTabs(newTabs: NewTabs) {
  const open = new Map<string, (() => void) | null>();
  return {
    opened(sessionId: string) {
      open.set(sessionId, open.size === 0 ? null : newTabs.watch().end);
    },
    closed(sessionId: string) {
      open.get(sessionId)?.();
      open.delete(sessionId);
    },
  };
}

function setUpTarget(
  { together }: Connection,
  session: CdpSession,
  { type, paused }: NewTarget,
  { shown, script, before }: { shown: Shown; script: string | null; before: Promise<void> | null },
): Promise<unknown> {
  const needed: Promise<unknown>[] = [];
  const resume = () => session.send("Runtime.runIfWaitingForDebugger", {});
  const must: Send = (method, params) => void needed.push(session.send(method, params));
  // Optional: not every version and type of target supports it.
  const may: Send = (method, params) => void session.send(method, params).catch(() => {});
  together(() => {
    if (type === "page") mendTabRequests(session, shown, paused).catch(() => {});
    // A paused frame has an invisible document, which the frame's own document replaces.
    if (documents.has(type)) setUpDocument(must, may, shown, script, !(paused && type === "iframe"));
    else if (workers.has(type)) setUpWorker(must, may, shown, script);
    if (!shared.has(type)) needed.push(resume());
  });
  // In a restarted worker the resume command would overtake the others, so it waits for their replies.
  if (shared.has(type)) needed.push(within(Promise.allSettled([...needed, before]), pausedMs).then(resume));
  return Promise.all(needed);
}

function setUpDocument(
  must: Send,
  may: Send,
  shown: Shown,
  script: string | null,
  runImmediately: boolean,
): void {
  must("Target.setAutoAttach", belowTarget);
  setBrowserFields(must, may, shown);
  may("Emulation.setCPUPerformanceOverride", { performanceTier: shown.performanceTier });
  if (script !== null) {
    must("Page.enable", {}); // Without this the script never runs.
    must("Page.addScriptToEvaluateOnNewDocument", { source: script, runImmediately });
  }
}

function setUpWorker(must: Send, may: Send, shown: Shown, script: string | null): void {
  may("Target.setAutoAttach", belowTarget);
  setBrowserFields(must, may, shown);
  if (script !== null) must("Runtime.evaluate", { expression: script });
}

function setBrowserFields(must: Send, may: Send, shown: Shown): void {
  const { userAgent, metadata, platform, localeOverride } = shown;
  must("Emulation.setUserAgentOverride", {
    userAgent,
    userAgentMetadata: metadata,
    ...(platform === null ? {} : { platform }),
  });
  must("Emulation.setHardwareConcurrencyOverride", {
    hardwareConcurrency: shown.device.hardwareConcurrency,
  });
  if (localeOverride !== null) may("Emulation.setLocaleOverride", { locale: localeOverride });
}
