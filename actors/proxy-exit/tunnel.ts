/** Connections through a proxy: to it, and by it to a site, whose name the proxy resolves (socks5h). */
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import type { ProxyUpstream } from "../../protocol/proxies.ts";
import { codeOf, connectTrouble, ProxyError } from "./reasons.ts";

/** The value of `Proxy-Authorization`; null when the proxy asks for none. */
export function authorization({ username, password }: ProxyUpstream): string | null {
  if (username === null) return null;
  return `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
}

/** Connects to the proxy itself. Throws ProxyError; `signal` gives up. */
export function connectProxy({ host, port }: ProxyUpstream, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port, noDelay: true });
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
      // Whoever uses the connection next has handlers of its own; an error between the two must not end the thread.
      socket.removeAllListeners("error").on("error", () => {});
      resolve(socket);
    });
  });
}

/** Has the proxy connect to a site over `socket`. Throws ProxyError; `signal` gives up and closes the connection. */
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

async function askSocks(
  upstream: ProxyUpstream,
  socket: Socket,
  site: { host: string; port: number },
): Promise<void> {
  const { SocksClient } = await import("socks"); // Here, not above: most threads that load this file measure no SOCKS proxy.
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

/** The package tells failures apart by its texts alone. */
function socksTrouble(site: string, message: string): ProxyError["trouble"] {
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
    asked.once("connect", ({ statusCode }) => {
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

/** What an HTTP proxy's own status says. */
export function statusTrouble(status: number, site: string): ProxyError["trouble"] {
  return status === 407
    ? { kind: "wrong-password" }
    : { kind: "site", site, why: `it answered with status ${status}` };
}

/** What an error after the connection stands means. */
export function exchangeTrouble(error: unknown): ProxyError["trouble"] {
  return codeOf(error)?.startsWith("HPE_") ? { kind: "not-its-language" } : { kind: "closed" };
}
