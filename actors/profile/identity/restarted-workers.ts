/**
 * Service workers that are stopped and started again: while somebody is attached to one, nothing announces it a second time, and
 * Chromium holds it only if this launch has installed it; one of an earlier launch runs its first lines before it can be told anything.
 * So we let go of the latter as it stops. With nobody attached it is announced, and held, like one that was never there.
 */
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession, Commands, Params, Protocol } from "../cdp/session.ts";
import { within } from "../within.ts";

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

/** A tab that does not tell by then is not going to. */
const statusMs = 500;

/** Lets go of those that an earlier launch installed, as they stop. */
export function letGoOfStopped({ root, together }: Connection): StoppedWorkers {
  const tabs = new Map<CdpSession, string>();
  /** Contexts whose workers Chromium installs anew before their next page, and of which no tab is open. */
  const installing = new Set<string>();
  const asking = new Map<string, (status: string) => void>();
  const tabOf = (contextId: string): CdpSession | undefined => {
    for (const tab of tabs.keys()) if (tab.closed) tabs.delete(tab);
    return [...tabs].find(([, context]) => context === contextId)?.[0];
  };
  const statusIn = async (tab: CdpSession, targetId: string): Promise<string | null> => {
    const told = new Promise<string>((resolve) => asking.set(targetId, resolve));
    for (const method of ["ServiceWorker.disable", "ServiceWorker.enable"] as const) may(tab, method, {}); // Then it tells all it knows.
    const status = await within(told, statusMs);
    asking.delete(targetId);
    if (asking.size === 0) may(tab, "ServiceWorker.disable", {});
    return status?.value ?? null;
  };
  const letGo = (sessionId: string, targetId: string): void => {
    root.send("Target.detachFromTarget", { sessionId }).catch(() => {});
    // Somebody else may be attached, and then nothing is announced: `followRestarts` hears of its next start. Else this is refused.
    root.send("Target.attachToTarget", { targetId, flatten: true }).catch(() => {});
  };
  const installNothing = (tab: CdpSession): void => {
    installNothingIn(tab);
    if (asking.size > 0) may(tab, "ServiceWorker.enable", {});
  };
  return {
    tab(session, { browserContextId = "" }) {
      tabs.set(session, browserContextId);
      session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
        for (const { targetId = "", status } of versions) asking.get(targetId)?.(status);
      });
      if (installing.delete(browserContextId)) installNothing(session);
    },
    async worker(session, { targetId, browserContextId = "" }, changed) {
      let earlier = true; // Also one that starts while no tab is open: only a page can install one.
      session.on("Inspector.targetCrashed", () => {
        if (!earlier) return;
        together(() => {
          letGo(session.id ?? "", targetId);
          if (!changed()) return;
          const tab = tabOf(browserContextId);
          if (tab === undefined) installing.add(browserContextId);
          else installNothing(tab);
        });
      });
      const tab = tabOf(browserContextId);
      if (tab !== undefined) earlier = (await statusIn(tab, targetId)) === "activated";
    },
  };
}

/**
 * As if "update on reload" was ticked and unticked. After requests were changed on a worker's session, the end of that session leaves it
 * ticked (Chromium 156): the next page below the worker waited 5 s for a new one to be installed, or for ever.
 */
function installNothingIn(tab: CdpSession): void {
  may(tab, "ServiceWorker.enable", {});
  for (const forceUpdateOnPageLoad of [true, false])
    may(tab, "ServiceWorker.setForceUpdateOnPageLoad", { forceUpdateOnPageLoad });
  may(tab, "ServiceWorker.disable", {});
}

/** Of a tab, which may be closed. */
function may<Method extends keyof Commands>(tab: CdpSession, method: Method, params: Params<Method>): void {
  tab.send(method, params).catch(() => {});
}
