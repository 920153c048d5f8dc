/**
 * Service workers that are stopped and started again: while somebody is attached to one, nothing announces it a second time, and
 * Chromium holds it only if this launch has installed it; one of an earlier launch runs its first lines before it can be told anything.
 * So we let go of each as it stops. With nobody attached it is announced, and held, like one that was never there.
 */
import type { Connection } from "../cdp/connection.ts";
import type { CdpSession, Protocol } from "../cdp/session.ts";

/** Calls `tellAgain` each time that the worker of this session has been started again. */
export function followRestarts(session: CdpSession, tellAgain: () => void): void {
  session.on("Inspector.targetReloadedAfterCrash", tellAgain);
  session.send("Inspector.enable", {}).catch(() => {});
}

export interface StoppedWorkers {
  /** A tab has been attached. */
  tab(session: CdpSession, info: Protocol.Target.TargetInfo): void;
  /** A service worker has. `changed`: we have changed a request that it passed on. */
  worker(session: CdpSession, info: Protocol.Target.TargetInfo, changed: () => boolean): void;
}

/** For all of a browser's service workers. */
export function letGoOfStopped({ root, together }: Connection): StoppedWorkers {
  const tabs = new Map<CdpSession, string>();
  /** Contexts whose workers Chromium installs anew before their next page, and of which no tab is open. */
  const installing = new Set<string>();
  return {
    tab(session, { browserContextId = "" }) {
      tabs.set(session, browserContextId);
      if (installing.delete(browserContextId)) installNothing(session);
    },
    worker(session, { targetId, browserContextId = "" }, changed) {
      session.on("Inspector.targetCrashed", () => {
        together(() => {
          root.send("Target.detachFromTarget", { sessionId: session.id ?? "" }).catch(() => {});
          // Somebody else may be attached, and then nothing is announced: `followRestarts` hears of its next start. Else this is refused.
          root.send("Target.attachToTarget", { targetId, flatten: true }).catch(() => {});
          if (!changed()) return;
          for (const tab of tabs.keys()) if (tab.closed) tabs.delete(tab);
          const tab = [...tabs].find(([, context]) => context === browserContextId)?.[0];
          if (tab === undefined) installing.add(browserContextId);
          else installNothing(tab);
        });
      });
    },
  };
}

/**
 * As if "update on reload" was ticked and unticked. After requests were changed on a worker's session, the end of that session leaves it
 * ticked (Chromium 156): the next page below the worker waited 5 s for a new one to be installed, or for ever.
 */
function installNothing(tab: CdpSession): void {
  tab.send("ServiceWorker.enable", {}).catch(() => {}); // The tab may be closed.
  for (const forceUpdateOnPageLoad of [true, false])
    tab.send("ServiceWorker.setForceUpdateOnPageLoad", { forceUpdateOnPageLoad }).catch(() => {});
  tab.send("ServiceWorker.disable", {}).catch(() => {});
}
