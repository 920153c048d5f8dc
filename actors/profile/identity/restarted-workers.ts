/**
 * Service workers that are stopped and started again: while somebody is attached to one, nothing announces it a second time, and
 * Chromium holds it only if this launch has installed it; one of an earlier launch runs its first lines before it can be told anything.
 * So we let go of the latter as it stops, and our clients with us. With nobody attached it is announced, and held, like one that was
 * never there; clients hear of it in the same way.
 */
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import type { ClientCommand, ClientWorkers, LetGo } from "./client-workers.ts";
import { watchVersions } from "./worker-versions.ts";

/** Calls `tellAgain` each time that the worker of this session has been started again. */
export function followRestarts(session: CdpSession, tellAgain: () => void): void {
  session.on("Inspector.targetReloadedAfterCrash", tellAgain);
  session.send("Inspector.enable", {}).catch(() => {});
}

/** A browser's service workers, and the tabs beside them, which alone can be asked about them. */
export interface StoppedWorkers {
  /** A tab has been attached. */
  tab(session: CdpSession, info: Protocol.Target.TargetInfo): void;
  /**
   * A service worker has. Resolves when it is known whether an earlier launch installed it, which only shows while it is held; one
   * that runs already is taken for such. `changed`: we have changed a request that it passed on.
   */
  worker(session: CdpSession, info: Protocol.Target.TargetInfo, changed: () => boolean): Promise<void>;
}

interface AttachedWorker {
  sessionId: string;
  targetId: string;
  contextId: string;
  versionId?: string;
  /** An earlier launch has installed it. Also one that starts while no tab is open: only a page can install one. */
  earlier: boolean;
  changed(): boolean;
}

interface Leaving {
  targetId: string;
  those: LetGo;
  /** The browser has said so. */
  stops: boolean;
}

/** A client that has not answered by then does not read. */
const clientMs = 500;
/** A worker that a client has told to stop says so at once, or has not been told. */
const stoppingMs = 250;

/** Lets go of those that an earlier launch installed, as they stop. */
export function letGoOfStopped(
  { root, together, detachClients }: Connection,
  clients: ClientWorkers,
): StoppedWorkers {
  /** By target. */
  const attached = new Map<string, AttachedWorker>();
  /** By version: let go of before it had stopped. */
  const leaving = new Map<string, Leaving>();
  /** Nobody waits for clients: whoever needs the worker starts it in the moment it has stopped. */
  const letGo = ({ sessionId, targetId, contextId, changed }: AttachedWorker): LetGo => {
    attached.delete(targetId);
    const those = clients.letGo(targetId);
    together(() => {
      detachClients(targetId);
      root.send("Target.detachFromTarget", { sessionId }).catch(() => {});
      if (changed()) versions.installNothing(contextId);
    });
    return those;
  };
  /** Refused when it is gone, as it should be. Else we were late, or it was not stopped at all. */
  const attachAgain = (targetId: string, those: LetGo) => {
    root.send("Target.attachToTarget", { targetId, flatten: true }).then(those.takeBack, () => {});
  };
  const versions = watchVersions(root, ({ versionId, targetId = "", runningStatus }) => {
    const worker = attached.get(targetId);
    if (worker !== undefined) worker.versionId = versionId;
    const left = leaving.get(versionId);
    if (runningStatus === "stopping") {
      if (left?.targetId === targetId) left.stops = true;
      else if (worker?.earlier) leaving.set(versionId, { targetId, those: letGo(worker), stops: true });
    } else if (runningStatus === "starting" && left !== undefined) {
      leaving.delete(versionId);
      if (left.targetId === targetId) attachAgain(targetId, left.those);
    }
  });
  root.on("Target.detachedFromTarget", ({ sessionId }) => {
    for (const worker of attached.values())
      if (worker.sessionId === sessionId) attached.delete(worker.targetId);
  });
  clients.onToStop((command) => {
    for (const worker of attached.values()) {
      const { targetId, versionId = "", contextId } = worker;
      if (!worker.earlier || !stops(command, versionId) || !versions.isOnly(contextId)) continue;
      const left: Leaving = { targetId, those: letGo(worker), stops: false };
      leaving.set(versionId, left);
      const look = () => {
        if (leaving.get(versionId) !== left || left.stops) return;
        leaving.delete(versionId);
        attachAgain(targetId, left.those);
      };
      setTimeout(look, stoppingMs).unref();
    }
  });
  return {
    tab(session, { browserContextId = "" }) {
      versions.tab(session, browserContextId);
    },
    async worker(session, { targetId, browserContextId: contextId = "" }, changed) {
      const sessionId = session.id ?? "";
      const worker: AttachedWorker = { sessionId, targetId, contextId, earlier: true, changed };
      attached.set(targetId, worker);
      session.on("Inspector.targetCrashed", () => {
        if (!worker.earlier) return;
        const those = letGo(worker);
        const again = () => attachAgain(targetId, those);
        within(those.apart, clientMs).then(again, again);
      });
      worker.earlier = ((await versions.statusOf(targetId, contextId)) ?? "activated") === "activated";
    },
  };
}

/** Whether this command stops this version, if the browser takes it. */
function stops({ method, params }: ClientCommand, versionId: string): boolean {
  if (method === "ServiceWorker.stopAllWorkers") return versionId !== "";
  const named = typeof params === "object" && params !== null && "versionId" in params && params.versionId;
  return method === "ServiceWorker.stopWorker" && versionId !== "" && named === versionId;
}
