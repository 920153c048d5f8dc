/** Whether a page does something that freezing would break: it plays, records or calls. The page cannot see the questions. */
import type { CdpSession, Protocol } from "./cdp/session.ts";

/** Collects garbage first, since a call that has ended counts until then. */
export async function isBusyPage(session: CdpSession): Promise<boolean> {
  await session.send("HeapProfiler.collectGarbage", {});
  return (await hasCall(session)) || (await plays(session));
}

async function hasCall(session: CdpSession): Promise<boolean> {
  await session.send("Performance.enable", {});
  const { metrics } = await session.send("Performance.getMetrics", {});
  await session.send("Performance.disable", {});
  return metrics.some(({ name, value }) => name === "RTCPeerConnections" && value > 0);
}

/** Both domains report what exists before they answer, also what is not in the document. */
async function plays(session: CdpSession): Promise<boolean> {
  let sounding = false;
  const players = new Map<string, boolean>();
  const off = [
    session.on("WebAudio.contextCreated", ({ context }) => {
      sounding ||= context.contextType === "realtime" && context.contextState === "running";
    }),
    session.on("Media.playerEventsAdded", ({ playerId, events }) => {
      for (const event of events) {
        const now = playing(event);
        if (now !== null) players.set(playerId, now);
      }
    }),
  ];
  try {
    await Promise.all([session.send("WebAudio.enable", {}), session.send("Media.enable", {})]);
    await Promise.all([session.send("WebAudio.disable", {}), session.send("Media.disable", {})]);
  } finally {
    for (const end of off) end();
  }
  return sounding || [...players.values()].includes(true);
}

const playing = ({ value }: Protocol.Media.PlayerEvent): boolean | null => {
  const { event } = JSON.parse(value) as { event?: string };
  if (event === "kPlay") return true;
  return event === "kPause" || event === "kEnded" || event === "kWebMediaPlayerDestroyed" ? false : null;
};
