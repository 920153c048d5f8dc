/** A running profile's thread, as its callers see it: its interface over the port that the pool returns. */
import { Fault } from "../../protocol/faults.ts";
import type { Deadlines } from "../../protocol/messages/deadlines.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { ProfilePageApi } from "../../protocol/messages/profile.ts";
import { createRemote } from "./remote.ts";
import type { PortLike } from "./wire.ts";

export interface ProfileConnection {
  page: ProfilePageApi;
  /** Of all running browsers. */
  debuggingPorts: number[];
  disconnect(): void;
}

/** `onEnd` is called when the connection ends, for any reason; calls are then refused with `ended`. Throws `conflict` (unknown, not running). */
export async function connectProfile(
  pool: Pick<PoolApi, "connect">,
  profileId: string,
  options: { deadlines?: Deadlines<ProfilePageApi>; ended?: string; onEnd?: () => void } = {},
): Promise<ProfileConnection> {
  const { deadlines = {}, onEnd } = options;
  const ended = options.ended ?? `profile ${profileId} is not running any more: its browser ended`;
  const { port, debuggingPorts } = await pool.connect({ profileId });
  const remote = createRemote<ProfilePageApi>(`profile ${profileId}`, { deadlines });
  remote.attach(port as PortLike);
  port.on("close", () => {
    onEnd?.();
    remote.detach(new Fault("conflict", ended), "refused");
  });
  return { page: remote.api, debuggingPorts, disconnect: () => port.close() };
}
