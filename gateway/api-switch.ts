/** Switches the API's listener on and off, and stores its port. */

import type { LibraryApi } from "../protocol/messages/library.ts";
import type { Settings } from "../protocol/records.ts";
import type { RequestLog } from "./boundary.ts";
import { createGate, type GateContext } from "./gate/gate.ts";
import { type Listener, listen } from "./listener.ts";

export interface ApiSwitch {
  url(): string | null;
  /** Opens the listener and returns its URL. Throws `conflict` (port taken). */
  on(port: number): Promise<string>;
  off(graceMs: number): Promise<void>;
}

/** `moved` runs after the listener has opened, closed or changed its port. */
export function createApiSwitch(
  context: GateContext,
  log: RequestLog,
  moved: () => void = () => {},
): ApiSwitch {
  let listener: Listener | null = null;
  const off = async (graceMs: number) => {
    const open = listener;
    listener = null;
    await open?.close(graceMs);
    if (open !== null) moved();
  };
  return {
    url: () => listener?.url ?? null,
    async on(port) {
      if (listener !== null && (port === 0 || listener.port === port)) return listener.url;
      const next = await listen(port, (actual) => createGate(context, actual), log, {
        onUpgrade: context.cdp.upgrade,
      });
      await off(1_000);
      listener = next;
      moved();
      return next.url;
    },
    off,
  };
}

/** Also after a restart. `asked` null keeps the stored port, so that clients find the API again; 0: any port at every start. */
export async function switchOnForGood(
  api: ApiSwitch,
  library: LibraryApi,
  settings: Settings,
  asked: number | null,
): Promise<{ url: string; settings: Settings }> {
  const url = await api.on(asked ?? settings.apiPort);
  const apiPort = asked === 0 ? 0 : Number(new URL(url).port);
  return { url, settings: await library.changeSettings({ settings: { apiEnabled: true, apiPort } }) };
}
