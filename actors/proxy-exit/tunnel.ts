/** Connections to a proxy, and tunnels through it. The proxy resolves site names (socks5h). */
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import type { ProxyUpstream } from "../../protocol/proxies.ts";
import { lookUpHost } from "./host-name.ts";
import { codeOf, connectTrouble, ProxyError, type ProxyTrouble } from "./reasons.ts";

export function authorization({ username, password }: ProxyUpstream): string | null {
  if (username === null) return null;
  return `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
}

/** Throws ProxyError, also when `signal` aborts. */
export function connectProxy({ host, port }: ProxyUpstream, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port, noDelay: true, lookup: lookUpHost });
    const giveUp = () => {
      socket.destroy();
      reject(new ProxyError({ kind: "not-accepted", ms: Math.round(performance.now() - startMs) }));
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    socket.once("error", (error) => {
      signal.removeEventListener("abort", giveUp);
      reject(new ProxyError(connectTrouble(error)));
    });
    socket.once("connect", () => {
      signal.removeEventListener("abort", giveUp);
      // Until the next user adds its handlers, an error must not end the thread.
      socket.removeAllListeners("error").on("error", () => {});
      resolve(socket);
    });
  });
}

/** Opens a tunnel to a site over `socket`. Throws ProxyError; closes the connection when `signal` aborts. */
export async function tunnelTo(
  upstream: ProxyUpstream,
  socket: Socket,
  site: { host: string; port: number },
  signal: AbortSignal,
): Promise<void> {
  const startMs = performance.now();
  const close = () => socket.destroy();
  signal.addEventListener("abort", close, { once: true });
  try {
    if (upstream.type === "socks5") await askSocks(upstream, socket, site);
    else await askConnect(upstream, socket, site);
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw new ProxyError({ kind: "silent", ms: Math.round(performance.now() - startMs) });
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
  }
}

/** Retries the connection to a page's site to find out why it failed. Null if it succeeds or only the site is at fault. */
export async function troubleReaching(
  upstream: ProxyUpstream,
  url: URL,
  signal: AbortSignal,
): Promise<ProxyTrouble | null> {
  const site = siteOf(url);
  try {
    const socket = await connectProxy(upstream, signal);
    await tunnelTo(upstream, socket, site, signal);
    socket.destroy();
    return null;
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    // Many HTTP proxies tunnel to port 443 only, so this refusal says nothing about plain HTTP.
    const { trouble } = error;
    return trouble.kind === "site" && upstream.type !== "socks5" && url.protocol === "http:" ? null : trouble;
  }
}

export async function speaks(upstream: ProxyUpstream, signal: AbortSignal): Promise<boolean> {
  try {
    const socket = await connectProxy(upstream, signal);
    const close = () => socket.destroy();
    signal.addEventListener("abort", close, { once: true });
    try {
      // SOCKS5's greeting, or a request without a site, which every HTTP server rejects.
      socket.write(
        upstream.type === "socks5" ? Buffer.from([5, 2, 0, 2]) : "GET / HTTP/1.1\r\nHost: -\r\n\r\n",
      );
      for await (const _chunk of socket) return true;
      return false;
    } finally {
      signal.removeEventListener("abort", close);
      socket.destroy();
    }
  } catch {
    return false;
  }
}

export function siteOf(url: URL): { host: string; port: number } {
  const usual = url.protocol === "https:" ? 443 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) || usual };
}

async function askSocks(
  upstream: ProxyUpstream,
  socket: Socket,
  site: { host: string; port: number },
): Promise<void> {
  const { SocksClient } = await import("socks"); // Imported on demand, because most threads measure no SOCKS proxy.
  try {
    await SocksClient.createConnection({
      command: "connect",
      destination: site,
      existing_socket: socket,
      proxy: {
        host: upstream.host,
        port: upstream.port,
        type: 5,
        ...(upstream.username === null
          ? {}
          : { userId: upstream.username, password: upstream.password ?? "" }),
      },
    });
  } catch (error) {
    throw new ProxyError(socksTrouble(site.host, error instanceof Error ? error.message : ""));
  }
}

/** The package distinguishes failures only by message. */
function socksTrouble(site: string, message: string): ProxyTrouble {
  if (/Authentication failed|no accepted authentication/i.test(message)) return { kind: "wrong-password" };
  const rejected = /rejected connection - (\w+)/.exec(message)?.[1];
  if (rejected !== undefined) return { kind: "site", site, why: socksWords[rejected] ?? rejected };
  if (/Socket closed/i.test(message)) return { kind: "closed" };
  return { kind: "not-its-language" };
}

const socksWords: Readonly<Record<string, string>> = {
  Failure: "it failed without a reason",
  NotAllowed: "its rules do not allow it",
  NetworkUnreachable: "the network cannot be reached",
  HostUnreachable: "the host cannot be reached or its name is not known",
  ConnectionRefused: "the connection was refused",
  TTLExpired: "the time to live expired",
  CommandNotSupported: "it does not know the command",
  AddressNotSupported: "it does not know this kind of address",
};

function askConnect(
  upstream: ProxyUpstream,
  socket: Socket,
  site: { host: string; port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const target = `${site.host.includes(":") ? `[${site.host}]` : site.host}:${site.port}`;
    const credentials = authorization(upstream);
    const asked = request({
      method: "CONNECT",
      path: target,
      headers: { host: target, ...(credentials === null ? {} : { "proxy-authorization": credentials }) },
      createConnection: () => socket,
    });
    asked.once("connect", ({ statusCode }, _socket, head) => {
      socket.unshift(head);
      if (statusCode === 200) return resolve();
      reject(new ProxyError(statusTrouble(statusCode ?? 0, site.host)));
    });
    asked.once("response", ({ statusCode }) =>
      reject(new ProxyError(statusTrouble(statusCode ?? 0, site.host))),
    );
    asked.once("error", (error) => reject(new ProxyError(exchangeTrouble(error))));
    asked.end();
  });
}

/** Translates an HTTP proxy's status. Some (tinyproxy) answer 401 to a wrong password. */
export function statusTrouble(status: number, site: string): ProxyTrouble {
  return status === 407 || status === 401
    ? { kind: "wrong-password" }
    : { kind: "site", site, why: `it answered with status ${status}` };
}

export function exchangeTrouble(error: unknown): ProxyTrouble {
  return codeOf(error)?.startsWith("HPE_") ? { kind: "not-its-language" } : { kind: "closed" };
}
