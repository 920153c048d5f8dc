/** Measures a proxy's exit through echo services: address, location and latency, or the reason for a failure. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import {
  addressOf,
  type ExitSources,
  type ProxyExit,
  type ProxyMeasurement,
  type ProxyUpstream,
} from "../../protocol/proxies.ts";
import { type EchoReply, readEchoReply } from "./echo-reply.ts";
import { lookUpPlace } from "./geo-file.ts";
import { codeOf, ProxyError, troubleWords } from "./reasons.ts";
import {
  authorization,
  connectProxy,
  exchangeTrouble,
  siteOf,
  speaks,
  statusTrouble,
  troubleReaching,
  tunnelTo,
} from "./tunnel.ts";

const bodyBytesMax = 64 * 1024;

const wordMs = 2_000;

/**
 * Asks the echo services in order, each for at most `sources.timeoutMs`; the geo file supplies missing values. Latency is in milliseconds
 * from the first packet to the complete reply. Never throws; after `signal` aborts, the result says how far it got.
 */
export async function measureExit(
  upstream: ProxyUpstream,
  sources: ExitSources,
  signal?: AbortSignal,
): Promise<ProxyMeasurement> {
  const { exit, error } = await inspectExit(upstream, sources, signal);
  return exit === null ? { exit, error: error ?? "its exit could not be measured" } : { exit, error: null };
}

export interface ExitInspection {
  exit: ProxyExit | null;
  error: string | null;
  proxyDead: boolean;
}

/** Like measureExit. A failed echo service alone does not mark the proxy dead. */
export async function inspectExit(
  upstream: ProxyUpstream,
  sources: ExitSources,
  signal?: AbortSignal,
): Promise<ExitInspection> {
  const failures: string[] = [];
  for (const echoUrl of sources.echoUrls) {
    if (signal?.aborted === true) break;
    const asked = await ask(upstream, echoUrl, sources.timeoutMs, signal);
    if ("reply" in asked) {
      const exit = await completed(asked.reply, asked.latencyMs, sources.geoFile);
      return { exit, error: null, proxyDead: false };
    }
    if (asked.proxyDead) return { exit: null, error: asked.why, proxyDead: true };
    failures.push(asked.why);
  }
  const none = signal?.aborted === true ? "the measurement was given up" : "no echo service is set";
  return { exit: null, error: failures.join("; ") || none, proxyDead: false };
}

async function completed(reply: EchoReply, latencyMs: number, geoFile: string | null) {
  const known = reply.country !== null && reply.city !== null && reply.timezone !== null;
  // An unreadable file costs only the location; `doctor` and the settings check report it.
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

/** If the proxy itself fails, asking the other services is pointless. */
async function ask(
  upstream: ProxyUpstream,
  echoUrl: string,
  timeoutMs: number,
  giveUp: AbortSignal | undefined,
): Promise<Asked> {
  const url = URL.canParse(echoUrl) ? new URL(echoUrl) : null;
  if (url === null) return { why: `${echoUrl} is not the address of an echo service`, proxyDead: false };
  const startMs = performance.now();
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = giveUp === undefined ? deadline : AbortSignal.any([giveUp, deadline]);
  try {
    const { status, body } = await get(upstream, url, signal);
    const latencyMs = Math.round(performance.now() - startMs);
    if (status === 407) throw new ProxyError(statusTrouble(status, url.host));
    // Some proxies (tinyproxy) answer 401 to a wrong password, as a site might. A tunnel request shows whether it was the proxy.
    const refusal = status === 401 ? await troubleReaching(upstream, url, signal) : null;
    if (refusal !== null) throw new ProxyError(refusal);
    const reply = status === 200 ? readEchoReply(body) : null;
    if (reply !== null) return { reply, latencyMs };
    const why =
      status === 200
        ? `the answer of the echo service ${url.host} contains no address`
        : `the echo service ${url.host}, or the proxy for it, answered with status ${status}`;
    return { why, proxyDead: false };
  } catch (error) {
    const through = `the echo service ${url.host} did not answer through the proxy ${addressOf(upstream)}`;
    if (
      signal.aborted &&
      giveUp?.aborted !== true &&
      (!(error instanceof ProxyError) || error.trouble.kind === "silent")
    ) {
      // The echo service may be the silent one: check whether the proxy itself replies.
      const ms = Math.round(performance.now() - startMs);
      return (await speaks(upstream, AbortSignal.timeout(Math.min(timeoutMs, wordMs))))
        ? { why: `${through} within ${ms} ms`, proxyDead: false }
        : { why: troubleWords(upstream, { kind: "silent", ms }), proxyDead: true };
    }
    if (error instanceof ProxyError) {
      const dead = error.trouble.kind !== "site" && giveUp?.aborted !== true;
      return { why: troubleWords(upstream, error.trouble), proxyDead: dead };
    }
    const reason = codeOf(error) ?? (error instanceof Error ? error.message : "no reason given");
    return { why: `${through}: ${reason}`, proxyDead: false };
  }
}

/** Plain HTTP through an HTTP proxy is forwarded; everything else uses a tunnel. */
async function get(upstream: ProxyUpstream, url: URL, signal: AbortSignal) {
  const socket = await connectProxy(upstream, signal);
  try {
    const secure = url.protocol === "https:";
    if (!secure && upstream.type !== "socks5") return await forwarded(upstream, socket, url, signal);
    const site = siteOf(url);
    await tunnelTo(upstream, socket, site, signal);
    return await exchanged(
      secure
        ? httpsRequest(url, {
            ...headers(),
            signal,
            createConnection: () => connectTls({ socket, servername: site.host }),
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
    if (signal.aborted) throw new ProxyError({ kind: "silent", ms: Math.round(performance.now() - startMs) });
    throw codeOf(error) === null ? error : new ProxyError(exchangeTrouble(error));
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
        if (bytes > bodyBytesMax)
          response.destroy(new Error(`its answer has more than ${bodyBytesMax} bytes`));
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
