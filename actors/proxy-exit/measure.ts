/** Measures the exit of a proxy: address, place and latency, by asking echo services through it; or says why there is none. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ExitSources, ProxyMeasurement, ProxyUpstream } from "../../protocol/proxies.ts";
import { type EchoReply, readEchoReply } from "./echo-reply.ts";
import { lookUpPlace } from "./geo-file.ts";
import { addressOf, codeOf, ProxyError, troubleWords } from "./reasons.ts";
import { authorization, connectProxy, exchangeTrouble, statusTrouble, tunnelTo } from "./tunnel.ts";

const bodyBytesMax = 64 * 1024;

/**
 * Asks the echo services in order, each through the proxy and each for `sources.timeoutMs` at most, until one tells the exit's
 * address; the geo file fills in what it did not say. Latency: from the first packet to the proxy to the end of the answer,
 * in milliseconds. Never throws; `signal` gives up, and the answer then says how far it came.
 */
export async function measureExit(
  upstream: ProxyUpstream,
  sources: ExitSources,
  signal?: AbortSignal,
): Promise<ProxyMeasurement> {
  const failures: string[] = [];
  for (const echoUrl of sources.echoUrls) {
    if (signal?.aborted === true) break;
    const deadline = AbortSignal.timeout(sources.timeoutMs);
    const asked = await ask(
      upstream,
      echoUrl,
      signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    );
    if ("reply" in asked)
      return { exit: await completed(asked.reply, asked.latencyMs, sources.geoFile), error: null };
    if (asked.proxyDead) return { exit: null, error: asked.why };
    failures.push(asked.why);
  }
  return {
    exit: null,
    error:
      failures.join("; ") || (signal?.aborted ? "the measurement was given up" : "no echo service is set"),
  };
}

async function completed(reply: EchoReply, latencyMs: number, geoFile: string | null) {
  const known = reply.country !== null && reply.city !== null && reply.timezone !== null;
  // A file that cannot be read costs the place, not the measurement; `doctor` and the setting's own check name it.
  const place = known || geoFile === null ? null : await lookUpPlace(geoFile, reply.ip).catch(() => null);
  return {
    ip: reply.ip,
    country: reply.country ?? place?.country ?? null,
    city: reply.city ?? place?.city ?? null,
    timezone: reply.timezone ?? place?.timezone ?? null,
    latencyMs,
    measuredAt: new Date().toISOString(),
  };
}

type Asked = { reply: EchoReply; latencyMs: number } | { why: string; proxyDead: boolean };

/** Asks one echo service. When the proxy itself is to blame the others need not be asked. */
async function ask(upstream: ProxyUpstream, echoUrl: string, signal: AbortSignal): Promise<Asked> {
  const startMs = performance.now();
  const url = URL.canParse(echoUrl) ? new URL(echoUrl) : null;
  if (url === null) return { why: `${echoUrl} is no address of an echo service`, proxyDead: false };
  try {
    const { status, body } = await get(upstream, url, signal);
    const latencyMs = Math.round(performance.now() - startMs);
    if (status === 407) throw new ProxyError(statusTrouble(status, url.host));
    if (status !== 200)
      return {
        why: `the echo service ${url.host}, or the proxy for it, answered with status ${status}`,
        proxyDead: false,
      };
    const reply = readEchoReply(body);
    if (reply !== null) return { reply, latencyMs };
    return { why: `the answer of the echo service ${url.host} holds no address`, proxyDead: false };
  } catch (error) {
    if (error instanceof ProxyError) {
      const { trouble } = error;
      // Silence after the connection stands may be the echo service's, behind a proxy that is well.
      return {
        why: troubleWords(upstream, trouble),
        proxyDead: trouble.kind !== "site" && trouble.kind !== "silent",
      };
    }
    const why = signal.aborted
      ? `no answer within ${Math.round(performance.now() - startMs)} ms`
      : (codeOf(error) ?? (error instanceof Error ? error.message : "no reason given"));
    return {
      why: `the echo service ${url.host} did not answer through the proxy ${addressOf(upstream)}: ${why}`,
      proxyDead: false,
    };
  }
}

/** One GET through the proxy: plain HTTP by an HTTP proxy's own way, everything else through a tunnel. */
async function get(upstream: ProxyUpstream, url: URL, signal: AbortSignal) {
  const socket = await connectProxy(upstream, signal);
  try {
    const secure = url.protocol === "https:";
    if (!secure && upstream.type !== "socks5") return await forwarded(upstream, socket, url, signal);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    await tunnelTo(upstream, socket, { host, port: Number(url.port) || (secure ? 443 : 80) }, signal);
    return await exchanged(
      secure
        ? httpsRequest(url, {
            ...headers(),
            signal,
            createConnection: () => connectTls({ socket, servername: host }),
          })
        : httpRequest(url, { ...headers(), signal, createConnection: () => socket }),
    );
  } finally {
    socket.destroy();
  }
}

async function forwarded(upstream: ProxyUpstream, socket: Socket, url: URL, signal: AbortSignal) {
  const startMs = performance.now();
  const credentials = authorization(upstream);
  const { headers: own } = headers();
  const asked = httpRequest({
    path: url.href,
    headers: {
      host: url.host,
      ...own,
      ...(credentials === null ? {} : { "proxy-authorization": credentials }),
    },
    createConnection: () => socket,
    signal,
  });
  return exchanged(asked).catch((error: unknown) => {
    if (!signal.aborted) throw new ProxyError(exchangeTrouble(error));
    throw new ProxyError({ kind: "silent", ms: Math.round(performance.now() - startMs) });
  });
}

function headers() {
  return { headers: { accept: "application/json, text/plain", connection: "close", "user-agent": "troupe" } };
}

function exchanged(asked: ReturnType<typeof httpRequest>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    asked.once("error", reject);
    asked.once("response", (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > bodyBytesMax) response.destroy(new Error(`its answer is over ${bodyBytesMax} bytes`));
        else chunks.push(chunk);
      });
      response.once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    asked.end();
  });
}
