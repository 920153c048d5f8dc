/** Fails requests that a launch has named: pages do not spend the proxy's traffic on them. */
import type { BlockKind } from "../../protocol/requests.ts";
import { adHosts, trackingHosts } from "./ad-hosts.ts";
import type { Connection } from "./cdp/connection.ts";
import type { Protocol } from "./cdp/session.ts";

export interface Blocking {
  kinds: readonly BlockKind[];
  /** Addresses, with `*` for any text and `?` for one character. */
  urls: readonly string[];
}

type Pattern = Protocol.Fetch.RequestPattern;

const ofHosts = (hosts: readonly string[]): Pattern[] =>
  hosts.flatMap((host) => [{ urlPattern: `*://${host}/*` }, { urlPattern: `*://*.${host}/*` }]);

const patterns: Record<BlockKind, Pattern[]> = {
  image: [{ resourceType: "Image" }],
  media: [{ resourceType: "Media" }],
  font: [{ resourceType: "Font" }],
  ads: ofHosts(adHosts),
  tracking: ofHosts(trackingHosts),
};

/** On a session of its own, so that other listeners of requests neither see nor undo it. */
export async function blockRequests(connection: Connection, { kinds, urls }: Blocking): Promise<void> {
  const wanted = [
    ...kinds.flatMap((kind) => patterns[kind]),
    ...urls.map((urlPattern): Pattern => ({ urlPattern })),
  ];
  if (wanted.length === 0) return;
  const { sessionId } = await connection.root.send("Target.attachToBrowserTarget", {});
  const session = connection.session(sessionId);
  if (session === undefined) throw new Error("the browser has ended");
  session.on("Fetch.requestPaused", ({ requestId }) => {
    // The request may have been cancelled.
    session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }).catch(() => {});
  });
  await session.send("Fetch.enable", { patterns: wanted });
}
