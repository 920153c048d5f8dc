/** The bridge of one profile: a local proxy without a password, in front of the user's proxy with its password. It has no other exit. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { ProxyUpstream } from "../../../protocol/proxies.ts";
import { type ProxyTrouble, troubleWords } from "../../proxy-exit/reasons.ts";
import { troubleReaching } from "../../proxy-exit/tunnel.ts";
import { isBackgroundHost } from "./background-hosts.ts";

export interface Bridge {
  port: number;
  /** Asks the proxy why a load of `url` failed, for at most `timeoutMs`; null when the proxy works now. */
  why(url: string, timeoutMs: number): Promise<string | null>;
  close(): Promise<void>;
}

/** Opens the bridge. It listens before proxy-chain is loaded, so that the browser's start does not wait. */
export async function openBridge(upstream: ProxyUpstream): Promise<Bridge> {
  const forwarding = loadForwarding(upstream);
  forwarding.catch(() => {}); // Each connection handles the error.
  const sockets = new Set<Socket>();
  let open = true;
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
    forwarding.then(
      (take) => take(socket),
      () => socket.destroy(),
    );
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

async function loadForwarding(upstream: ProxyUpstream): Promise<(socket: Socket) => void> {
  const { RequestError, Server } = await import("proxy-chain");
  const upstreamProxyUrl = urlOf(upstream);
  class LoudServer extends Server {
    override failRequest(request: IncomingMessage, error: NodeJS.ErrnoException): void {
      const refused = error instanceof RequestError && error.statusCode === 403;
      if (request.method === "CONNECT" || refused) super.failRequest(request, error);
      else request.socket.destroy();
    }
  }
  const server = new LoudServer({
    prepareRequestFunction({ hostname }) {
      if (isBackgroundHost(hostname)) throw new RequestError("the browser's own requests are blocked", 403);
      return { upstreamProxyUrl };
    },
  });
  server.server.prependListener("request", cutFailures);
  return (socket) => void server.server.emit("connection", socket);
}

/** Cuts the connection on proxy-chain's own error responses (504, 590 to 599), which would look like pages of the site. */
function cutFailures({ socket }: IncomingMessage, response: ServerResponse): void {
  const { end } = response;
  response.end = (...args: unknown[]) => {
    const { headersSent, statusCode } = response;
    if (!headersSent && (statusCode === 504 || (statusCode >= 590 && statusCode <= 599))) socket.destroy();
    else Reflect.apply(end, response, args);
    return response;
  };
}

/** `socks5h`, because with `socks5` proxy-chain resolves the names of plain HTTP itself. */
function urlOf({ type, host, port, username, password }: ProxyUpstream): string {
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const credentials =
    username === null ? "" : `${encodeURIComponent(username)}:${encodeURIComponent(password ?? "")}@`;
  return `${type === "socks5" ? "socks5h" : "http"}://${credentials}${name}:${port}`;
}
