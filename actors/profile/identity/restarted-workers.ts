/** Detaches from service workers of an earlier launch as they stop: only then are they announced and paused when they start again. */

import type { Connection } from "../cdp/connection.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";
import type { ClientCommand, ClientWorkers, Detached } from "./client-workers.ts";
import { watchVersions } from "./worker-versions.ts";

/** Calls `setUpAgain` each time the worker of this session has restarted. */
export function followRestarts(session: CdpSession, setUpAgain: () => void): void {
  session.on("Inspector.targetReloadedAfterCrash", setUpAgain);
  session.send("Inspector.enable", {}).catch(() => {});
}

/** A browser's service workers, and the tabs, which alone report about them. */
export interface StoppedWorkers {
  tab(session: CdpSession, info: Protocol.Target.TargetInfo): void;
  /** Resolves when it is known whether an earlier launch installed it. `changed`: whether we changed a request that it forwarded. */
  worker(session: CdpSession, info: Protocol.Target.TargetInfo, changed: () => boolean): Promise<void>;
}

interface AttachedWorker {
  sessionId: string;
  targetId: string;
  contextId: string;
  versionId?: string;
  /** An earlier launch installed it, or it started without an open tab: only a page can install one. */
  earlier: boolean;
  changed(): boolean;
}

interface Leaving {
  targetId: string;
  detached: Detached;
  stops: boolean;
}

/** A client that has not answered after this does not read. */
const clientMs = 500;
const stoppingMs = 250;

/** Detaches from workers of an earlier launch as they stop. */
export function detachFromStopped(
  { root, together, detachClients }: Connection,
  clients: ClientWorkers,
): StoppedWorkers {
  const attached = new Map<string, AttachedWorker>();
  const leaving = new Map<string, Leaving>();
  /** Does not wait for clients: the worker may restart as soon as it has stopped. */
  const detach = ({ sessionId, targetId, contextId, changed }: AttachedWorker): Detached => {
    attached.delete(targetId);
    const detached = clients.detach(targetId);
    together(() => {
      detachClients(targetId);
      root.send("Target.detachFromTarget", { sessionId }).catch(() => {});
      if (changed()) versions.installNothing(contextId);
    });
    return detached;
  };
  /** Fails if the worker has stopped, as expected. Otherwise it still runs. */
  const attachAgain = (targetId: string, detached: Detached) => {
    root.send("Target.attachToTarget", { targetId, flatten: true }).then(detached.attachAgain, () => {});
  };
  const versions = watchVersions(root, ({ versionId, targetId = "", runningStatus }) => {
    const worker = attached.get(targetId);
    if (worker !== undefined) worker.versionId = versionId;
    const left = leaving.get(versionId);
    if (runningStatus === "stopping") {
      if (left?.targetId === targetId) left.stops = true;
      else if (worker?.earlier) leaving.set(versionId, { targetId, detached: detach(worker), stops: true });
    } else if (runningStatus === "starting" && left !== undefined) {
      leaving.delete(versionId);
      if (left.targetId === targetId) attachAgain(targetId, left.detached);
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
      const left: Leaving = { targetId, detached: detach(worker), stops: false };
      leaving.set(versionId, left);
      const look = () => {
        if (leaving.get(versionId) !== left || left.stops) return;
        leaving.delete(versionId);
        attachAgain(targetId, left.detached);
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
        const detached = detach(worker);
        const again = () => attachAgain(targetId, detached);
        within(detached.done, clientMs).then(again, again);
      });
      worker.earlier = ((await versions.statusOf(targetId, contextId)) ?? "activated") === "activated";
    },
  };
}

function stops({ method, params }: ClientCommand, versionId: string): boolean {
  if (method === "ServiceWorker.stopAllWorkers") return versionId !== "";
  const named = typeof params === "object" && params !== null && "versionId" in params && params.versionId;
  return method === "ServiceWorker.stopWorker" && versionId !== "" && named === versionId;
}
