/** The versions of a browser's service workers. Only a tab can report them, for its context. */
import type { CdpSession, Commands, Params, Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";

export type WorkerVersion = Protocol.ServiceWorker.ServiceWorkerVersion;

export interface WorkerVersions {
  tab(session: CdpSession, contextId: string): void;
  /** The status of this worker, such as "activated"; null when no tab reports it. From then on, `onVersion` follows its context. */
  statusOf(targetId: string, contextId: string): Promise<string | null>;
  isOnly(contextId: string): boolean;
  /** Resets "update on reload", which Chromium 156 leaves on after a worker's session changed requests: the next page would wait. */
  installNothing(contextId: string): void;
}

const statusMs = 500;

/** Calls `onVersion` at each change of a worker with a target. */
export function watchVersions(root: CdpSession, onVersion: (version: WorkerVersion) => void): WorkerVersions {
  const tabs = new Map<CdpSession, string>();
  const telling = new Map<string, CdpSession | null>();
  /** Contexts without a tab that still need `installNothing`. */
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
        may(tab, "ServiceWorker.enable", {}); // Enabling reports all versions.
      }
      const status = await within(told, statusMs);
      asking.delete(targetId);
      return status?.value ?? null;
    },
    isOnly: (contextId) => [...tabs.values()].every((other) => other === contextId),
    installNothing,
  };
}

function may<Method extends keyof Commands>(tab: CdpSession, method: Method, params: Params<Method>): void {
  tab.send(method, params).catch(() => {});
}
