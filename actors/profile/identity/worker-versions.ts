/** What a browser's service workers are up to: installed by whom, running or about to stop. Only a tab can be asked, one a context. */
import type { CdpSession, Commands, Params, Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";

export type WorkerVersion = Protocol.ServiceWorker.ServiceWorkerVersion;

export interface WorkerVersions {
  /** A tab has been attached. */
  tab(session: CdpSession, contextId: string): void;
  /**
   * Where this worker stands, for instance "activated"; null when no tab can tell. From now on `onVersion` hears of all workers of the
   * context, as long as it has a tab.
   */
  statusOf(targetId: string, contextId: string): Promise<string | null>;
  /** Every tab is of this context. */
  isOnly(contextId: string): boolean;
  /**
   * As if "update on reload" was ticked and unticked. After requests were changed on a worker's session, the end of that session leaves
   * it ticked (Chromium 156): the next page below the worker waited 5 s for a new one to be installed, or for ever.
   */
  installNothing(contextId: string): void;
}

/** A tab that does not tell by then is not going to. */
const statusMs = 500;

/** `onVersion` is called at each change of a worker that has a target. */
export function watchVersions(root: CdpSession, onVersion: (version: WorkerVersion) => void): WorkerVersions {
  const tabs = new Map<CdpSession, string>();
  /** By context, the tab that tells of it; null when it has none, and the next one is to. */
  const telling = new Map<string, CdpSession | null>();
  /** Contexts in which nothing may be installed anew, and of which no tab is open. */
  const installing = new Set<string>();
  const asking = new Map<string, (status: string) => void>();

  const tellingOf = (contextId: string): CdpSession | null => {
    const known = telling.get(contextId);
    if (known && !known.closed) return known;
    const tab = [...tabs].find(([{ closed }, context]) => !closed && context === contextId)?.[0] ?? null;
    telling.set(contextId, tab);
    if (tab !== null) may(tab, "ServiceWorker.enable", {});
    return tab;
  };
  root.on("Target.detachedFromTarget", ({ sessionId }) => {
    const closed = [...tabs].find(([{ id }]) => id === sessionId);
    if (closed === undefined) return;
    const [tab, contextId] = closed;
    tabs.delete(tab);
    if (telling.get(contextId) !== tab) return;
    telling.set(contextId, null);
    tellingOf(contextId);
  });
  const installNothing = (contextId: string) => {
    const tab = tellingOf(contextId);
    if (tab === null) installing.add(contextId);
    else
      for (const forceUpdateOnPageLoad of [true, false])
        may(tab, "ServiceWorker.setForceUpdateOnPageLoad", { forceUpdateOnPageLoad });
  };
  return {
    tab(session, contextId) {
      tabs.set(session, contextId);
      session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
        for (const version of versions) {
          asking.get(version.targetId ?? "")?.(version.status);
          if (version.targetId !== undefined) onVersion(version);
        }
      });
      if (telling.has(contextId)) tellingOf(contextId);
      if (installing.delete(contextId)) installNothing(contextId);
    },
    async statusOf(targetId, contextId) {
      const known = telling.get(contextId);
      const tab = tellingOf(contextId);
      if (tab === null) return null;
      const told = new Promise<string>((resolve) => asking.set(targetId, resolve));
      if (tab === known) {
        may(tab, "ServiceWorker.disable", {});
        may(tab, "ServiceWorker.enable", {}); // Then it tells all it knows.
      }
      const status = await within(told, statusMs);
      asking.delete(targetId);
      return status?.value ?? null;
    },
    isOnly: (contextId) => [...tabs.values()].every((other) => other === contextId),
    installNothing,
  };
}

/** Of a tab, which may be closed. */
function may<Method extends keyof Commands>(tab: CdpSession, method: Method, params: Params<Method>): void {
  tab.send(method, params).catch(() => {});
}
