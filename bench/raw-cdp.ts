/** A page's CDP session over a WebSocket: the baseline for verbs. */
import { once } from "node:events";
import { request } from "undici";
import { WebSocket } from "ws";

export interface RawCdp {
  send(method: string, params: object): Promise<unknown>;
  close(): void;
}

/** `query` is for an address that asks for a token, and `port` for a way to the browser that is not its own. */
export async function openRawCdp(
  cdpUrl: string,
  { query = "", port }: { query?: string; port?: number } = {},
): Promise<RawCdp> {
  const reply = await request(`${cdpUrl}/json/list${query}`);
  const targets = (await reply.body.json()) as { type: string; webSocketDebuggerUrl: string }[];
  const url = targets.find((target) => target.type === "page")?.webSocketDebuggerUrl;
  if (url === undefined) throw new Error("the browser shows no page");
  const address = new URL(url);
  const { host } = address;
  if (port !== undefined) address.port = String(port);
  const socket = new WebSocket(address, { perMessageDeflate: false, headers: { host } });
  await once(socket, "open");
  const waiting = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  socket.on("message", (data) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  return {
    send(method, params) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
    close: () => socket.close(),
  };
}
