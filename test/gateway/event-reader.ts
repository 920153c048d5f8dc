/** Reads the service's events as a client of server-sent events does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { ServiceEvent } from "../../protocol/events.ts";

export type Seen = ServiceEvent & { id: number };

/** Reads events until `enough`, then disconnects. */
export async function readEvents(
  { apiUrl, token }: { apiUrl: string; token: string },
  query: string,
  enough: (seen: Seen[]) => boolean,
  lastId?: number,
): Promise<Seen[]> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastId === undefined ? {} : { "last-event-id": String(lastId) }),
  };
  const asked = request(new URL(`/v1/events?${query}`, apiUrl), { headers }).end();
  const [reply] = (await once(asked, "response")) as [IncomingMessage];
  assert.equal(reply.statusCode, 200);
  assert.equal(reply.headers["content-type"], "text/event-stream");
  const seen: Seen[] = [];
  let text = "";
  for await (const chunk of reply.setEncoding("utf8")) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      seen.push({ ...JSON.parse(data), id: Number(/^id: (.*)$/m.exec(block)?.[1] ?? -1) });
      assert.equal(/^event: (.*)$/m.exec(block)?.[1], seen.at(-1)?.type);
    }
    if (enough(seen)) break;
  }
  asked.destroy();
  return seen;
}
