/** The bridge of one profile: a local proxy without a password, in front of the user's proxy with its password. It has no other exit. */
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { ProxyUpstream } from "../../../protocol/proxies.ts";
import { type ProxyTrouble, troubleWords } from "../../proxy-exit/reasons.ts";
import { connectProxy, siteOf, troubleReaching, tunnelTo } from "../../proxy-exit/tunnel.ts";
import { isBackgroundHost } from "./background-hosts.ts";
import { bring } from "./bring.ts";
import { createPlainForwarding } from "./plain-http.ts";

export interface Bridge {
  port: number;
  /** Asks the proxy why a load of `url` failed, for at most `timeoutMs`; null when the proxy works now. */
  why(url: string, timeoutMs: number): Promise<string | null>;
  close(): Promise<void>;
}

/** Longest wait for the proxy's connection, and for a site behind it. */
const connectMs = 60_000;

/** More than the cookies of one site can be. */
const requestHeadBytesMax = 2 ** 20;

export async function openBridge(upstream: ProxyUpstream): Promise<Bridge> {
  const take = createForwarding(upstream);
  const sockets = new Set<Socket>();
  let open = true;
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
    take(socket);
  });
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  listener.removeAllListeners("error").on("error", () => {}); // A connection could not be accepted; the browser retries.
  listener.once("close", () => {
    open = false;
  });
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    async why(url, timeoutMs) {
      const trouble: ProxyTrouble | null = open
        ? await troubleReaching(upstream, new URL(url), AbortSignal.timeout(timeoutMs))
        : { kind: "bridge-ended" };
      return trouble === null ? null : troubleWords(upstream, trouble);
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function createForwarding(upstream: ProxyUpstream): (browser: Socket) => void {
  const open = async (url: URL, throughTunnel: boolean): Promise<Socket> => {
    const late = AbortSignal.timeout(connectMs);
    const out = await connectProxy(upstream, late);
    if (throughTunnel) await tunnelTo(upstream, out, siteOf(url), late);
    return out;
  };
  const forwardPlain = createPlainForwarding(upstream, open);
  const server = createHttpServer({ maxHeaderSize: requestHeadBytesMax }, (request, response) => {
    const { url = "", socket } = request;
    if (!URL.canParse(url)) socket.destroy();
    else if (isBackgroundHost(new URL(url).hostname)) response.writeHead(403, { connection: "close" }).end();
    else forwardPlain(request, response);
  });
  server.on("connect", ({ url }, browser: Socket, head) => {
    const target = `http://${url}`;
    if (!URL.canParse(target) || isBackgroundHost(new URL(target).hostname))
      return void browser.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    open(new URL(target), true).then(
      (out) => {
        browser.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        browser.unshift(head);
        bring(out, browser);
        browser.pipe(out);
      },
      () => browser.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"),
    );
  });
  return (browser) => void server.emit("connection", browser);
}
