/**
 * Puts what a profile shows into every realm of its browser: each page, frame and worker is held when it begins, told its values,
 * and let go. The verbs use the sessions that this brings (page/tabs); clients have their own.
 */
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession, Commands, Params } from "../cdp/session.ts";
import { within } from "../within.ts";
import { type ClientWorkers, clientWorkers } from "./client-workers.ts";
import { type NewTabs, watchNewTabs } from "./new-tabs.ts";
import { pageScriptOf } from "./page-script.ts";
import {
  type DocumentRequests,
  mendDocumentRequests,
  mendTabRequests,
  mendWorkerRequests,
} from "./request-headers.ts";
import { followRestarts, letGoOfStopped } from "./restarted-workers.ts";
import type { Shown } from "./shown.ts";

type Send = <Method extends keyof Commands>(method: Method, params: Params<Method>) => void;

const holdNew = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
/** Workers that are shared are the browser's to announce: asked for below a page too, they would be held once for each. */
const belowTarget = {
  ...holdNew,
  filter: [{ type: "service_worker", exclude: true }, { type: "shared_worker", exclude: true }, {}],
};

/** Kinds of target with a document; `worker`, `shared_worker`, `service_worker` and worklets are the others that run scripts. */
const documents: ReadonlySet<string> = new Set(["page", "iframe", "webview"]);
const shared: ReadonlySet<string> = new Set(["shared_worker", "service_worker"]);
const workers: ReadonlySet<string> = new Set(["worker", ...shared]);

export interface AppliedIdentity {
  /** Resolves when the first page has taken all its values; rejects when it refused one that every Chromium knows. */
  first: Promise<void>;
  /** Resolves when every target that is there by now has its values, or has not answered for a good while. */
  settled(): Promise<void>;
  newTabs: NewTabs;
  clientWorkers: ClientWorkers;
  /** Asks `refused` about each address before a page loads from it, whatever tab or frame; settles when that holds, with what ends it. */
  guardRequests(...guard: Parameters<DocumentRequests["guard"]>): Promise<() => void>;
}

interface HeldTarget {
  type: string;
  /** It waits for our word to go on. */
  held: boolean;
}

/** A worker that has not answered by then is let go all the same: held for ever, it would hold its pages too. */
const heldMs = 1_000;
/** A target that takes longer is not coming: it is gone, or something else keeps it from answering. */
const settledMs = 3_000;

/**
 * Follows the browser from now on. All that a target needs is sent at once and in order, so that it waits for one answer of ours.
 * `headless`: there is no window, so input comes from us and our clients only.
 */
export function applyIdentity(
  connection: Connection,
  { shown, headless }: { shown: Shown; headless: boolean },
): AppliedIdentity {
  const { root, session: sessionOf } = connection;
  const script = pageScriptOf(shown);
  const tell = (session: CdpSession, target: HeldTarget, before: Promise<void> | null = null) =>
    setUp(connection, session, target, { shown, script, before });
  const begun = new Set<Promise<void>>();
  /** Failures are those of targets that are gone or have crashed; their next life is announced anew. */
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
  const stopped = letGoOfStopped(connection, clients);
  const firstPage = new Promise<void>((resolve, reject) => {
    const follow = (parent: CdpSession): void => {
      parent.on("Target.attachedToTarget", ({ sessionId, targetInfo, waitingForDebugger }) => {
        const { type } = targetInfo;
        const session = sessionOf(sessionId);
        if (session === undefined || type === "browser") return; // The last is a client's way in.
        if (documents.has(type) || workers.has(type)) follow(session);
        if (type === "page" && parent === root) closing.opened(sessionId);
        const target = { type, held: waitingForDebugger };
        const known =
          type === "service_worker"
            ? stopped.worker(session, targetInfo, mendWorkerRequests(session, shown))
            : null;
        const done = tell(session, target, known);
        // One that was stopped before we came answers when it is started again: nobody waits for that.
        if (waitingForDebugger || type === "page") track(done);
        if (type === "page") done.then(() => resolve(), reject);
        else done.catch(() => {});
        if (shared.has(type)) followRestarts(session, () => track(tell(session, target)));
        if (type === "page") stopped.tab(session, targetInfo);
      });
    };
    follow(root);
    root.on("Target.detachedFromTarget", ({ sessionId }) => closing.closed(sessionId));
  });
  const attached = root.send("Target.setAutoAttach", holdNew);
  connection.watchHands(() => newTabs.handsOn().off);
  const met = headless ? null : newTabs.handsOn().ready;
  return {
    newTabs,
    clientWorkers: clients,
    first: Promise.all([firstPage, met, attached]).then(() => {}),
    async settled() {
      // Its answer comes after every announcement that was made before the question.
      await root.send("Browser.getVersion", {}).catch(() => {});
      await within(Promise.all(begun), settledMs);
    },
    async guardRequests(what, refused) {
      const hands = newTabs.handsOn();
      const guard = requests.guard(what, refused);
      const end = () => {
        guard.end();
        hands.off();
      };
      await Promise.all([hands.ready, guard.ready]).catch((error: unknown) => {
        end();
        throw error;
      });
      return end;
    },
  };
}

/**
 * A tab's icon may be asked for when the tab is closed already, and its values are gone with its session; then only the browser's own
 * session meets it. A tab beside another may be closed by its page at any time; the only one, only by somebody whose hands are on.
 */
function watchSecondTabs(newTabs: NewTabs) {
  const open = new Map<string, (() => void) | null>();
  return {
    opened(sessionId: string) {
      open.set(sessionId, open.size === 0 ? null : newTabs.handsOn().off);
    },
    closed(sessionId: string) {
      open.get(sessionId)?.();
      open.delete(sessionId);
    },
  };
}

function setUp(
  { together }: Connection,
  session: CdpSession,
  { type, held }: HeldTarget,
  { shown, script, before }: { shown: Shown; script: string | null; before: Promise<void> | null },
): Promise<unknown> {
  const needed: Promise<unknown>[] = [];
  const goOn = () => session.send("Runtime.runIfWaitingForDebugger", {});
  const must: Send = (method, params) => void needed.push(session.send(method, params));
  // Not known to every version and kind of target, or taken by another tab of the same process: no reason to stop.
  const may: Send = (method, params) => void session.send(method, params).catch(() => {});
  together(() => {
    if (type === "page") mendTabRequests(session, shown, held).catch(() => {});
    // A frame that is held has a document already that nobody can see: it is about to be replaced by the one that it was opened for.
    if (documents.has(type)) setUpDocument(must, may, shown, script, !(held && type === "iframe"));
    else if (workers.has(type)) setUpWorker(must, may, shown, script);
    if (!shared.has(type)) needed.push(goOn());
  });
  // The word to go on overtakes what was sent before it when a stopped worker begins anew; so there it waits for the answers.
  if (shared.has(type)) needed.push(within(Promise.allSettled([...needed, before]), heldMs).then(goOn));
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
  tellBrowserFields(must, may, shown);
  may("Emulation.setCPUPerformanceOverride", { performanceTier: shown.performanceTier });
  if (script !== null) {
    must("Page.enable", {}); // Without it the script is taken and never run.
    must("Page.addScriptToEvaluateOnNewDocument", { source: script, runImmediately });
  }
}

function setUpWorker(must: Send, may: Send, shown: Shown, script: string | null): void {
  may("Target.setAutoAttach", belowTarget);
  tellBrowserFields(must, may, shown);
  if (script !== null) must("Runtime.evaluate", { expression: script });
}

function tellBrowserFields(must: Send, may: Send, shown: Shown): void {
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
