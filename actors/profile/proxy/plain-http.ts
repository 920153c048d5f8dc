/** Plain HTTP through the proxy: the reply's bytes reach the browser as they come, and mean what they mean without the bridge. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { ProxyUpstream } from "../../../protocol/proxies.ts";
import { authorization } from "../../proxy-exit/tunnel.ts";
import { bring } from "./bring.ts";

interface Connected {
  /** The site at the end of a SOCKS tunnel; empty for an HTTP proxy, which takes requests for all sites. */
  to: string;
  out: Promise<Socket>;
  /** A reply's head comes next. */
  asked: boolean;
}

/** Writes each request of a browser's connection to one of its own, and pipes the replies back. A failure cuts the browser's connection. */
export function createPlainForwarding(
  upstream: ProxyUpstream,
  connect: (url: URL, throughTunnel: boolean) => Promise<Socket>,
): (request: IncomingMessage, response: ServerResponse) => void {
  const connections = new WeakMap<Socket, Connected>();
  const isSocks = upstream.type === "socks5";
  return (request, response) => {
    const { socket: browser } = request;
    const target = request.url ?? "";
    const url = new URL(target);
    const to = isSocks ? url.host : "";
    const known = connections.get(browser);
    // The browser reuses a connection for any site; it retries on a new one.
    if (known !== undefined && known.to !== to) return void browser.destroy();
    response.detachSocket(browser); // The proxy's bytes are written instead.
    const connected = known ?? { to, out: connect(url, isSocks), asked: true };
    connections.set(browser, connected);
    connected.asked = true;
    connected.out.then(
      (out) => {
        if (known === undefined) bring(out, browser, (bytes) => asksPassword(connected, bytes));
        out.write(headOf(request, isSocks ? pathOf(target) : null, upstream), "latin1");
        const body =
          request.headers["transfer-encoding"] === undefined ? request : Readable.from(chunksOf(request));
        body.on("error", () => {}).pipe(out, { end: false }); // The browser has closed its connection.
        // Unread, the rest would keep the browser's connection open for ever.
        out.once("close", () => body.resume());
      },
      () => browser.destroy(),
    );
  };
}

/** No page may ask the user for the proxy's password, nor a site for one that looks like it. */
function asksPassword(connected: Connected, bytes: Buffer): boolean {
  const asks = connected.asked && /^HTTP\/1\.\d 407/.test(bytes.toString("latin1", 0, 12));
  connected.asked = false;
  return asks;
}

/** As the browser wrote it: a parsed URL loses an empty query. */
function pathOf(target: string): string {
  return target.replace(/^http:\/\/[^/?#]*/i, "") || "/";
}

/** A body of unknown length, as it came. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer | string> {
  for await (const bytes of request) {
    yield `${(bytes as Buffer).length.toString(16)}\r\n`;
    yield bytes;
    yield "\r\n";
  }
  yield "0\r\n\r\n";
}

/** What Chromium's network code writes first. */
const ofTheNetwork = /^(host|proxy-connection|content-length|pragma|cache-control):/i;

/** `path` null: as to a proxy, with its password. */
function headOf(
  { method, url, rawHeaders, headers }: IncomingMessage,
  path: string | null,
  upstream: ProxyUpstream,
): string {
  const lines = [`${method} ${path ?? url} HTTP/1.1`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    // In its place, since sites see the order of the headers.
    const own = path !== null && name.toLowerCase() === "proxy-connection";
    if (!own) lines.push(`${name}: ${rawHeaders[at + 1]}`);
    else if (headers.connection === undefined) lines.push(`Connection: ${rawHeaders[at + 1]}`);
  }
  const credentials = path === null ? authorization(upstream) : null;
  if (credentials !== null) {
    // Where Chromium writes it, since proxies quote a request in their error pages, or pass the header on: before the page's headers.
    const first = lines.findIndex((line, at) => at > 0 && !ofTheNetwork.test(line));
    lines.splice(first === -1 ? lines.length : first, 0, `Proxy-Authorization: ${credentials}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}
