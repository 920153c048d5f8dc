/** The API's on and off: its listener, and the port that was chosen when it was switched on. */

import type { LibraryApi } from "../protocol/messages/library.ts";
import type { Settings } from "../protocol/records.ts";
import type { Failed } from "./boundary.ts";
import { createGate, type GateContext } from "./gate/gate.ts";
import { type Listener, listen } from "./listener.ts";

export interface ApiSwitch {
  /** Null while the API is off. */
  url(): string | null;
  /** Opens the listener. Throws `conflict` (port taken). Switching on what is on at that port changes nothing. */
  on(port: number): Promise<string>;
  /** Requests in hand are given until `graceMs`. */
  off(graceMs: number): Promise<void>;
}

/** `moved` is told whenever the listener has come, gone, or changed its port. */
export function createApiSwitch(
  context: GateContext,
  failed: Failed,
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
      const next = await listen(port, (actual) => createGate(context, actual), failed);
      await off(1_000);
      listener = next;
      moved();
      return next.url;
    },
    off,
  };
}

/**
 * Switches on and keeps it across restarts. The first time, with no port asked for, a free one is chosen and kept, so
 * that clients find the API at the same address next time.
 */
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
