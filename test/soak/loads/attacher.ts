/** A client process. Arguments: library, cdpUrl, site, milliseconds until it destroys its socket. Prints `works` when the page answers. */
import { type ConnectOverCDPTransport, chromium } from "playwright-core";
import puppeteer, { type ConnectionTransport } from "puppeteer-core";
import WebSocket from "ws";

const [library, cdpUrl = "", site = "", destroyAfter = ""] = process.argv.slice(2);

interface Page {
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  screenshot(): Promise<unknown>;
}

const version: { webSocketDebuggerUrl: string } = JSON.parse(
  await fetch(`${cdpUrl}/json/version`).then((reply) => reply.text()),
);
const socket = new WebSocket(version.webSocketDebuggerUrl, { perMessageDeflate: false });
await new Promise((resolve, reject) => {
  socket.once("open", resolve);
  socket.once("error", reject);
});

async function playwrightPage(): Promise<Page> {
  const transport: ConnectOverCDPTransport = {
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
  socket.on("message", (text) => transport.onmessage?.(JSON.parse(String(text))));
  socket.on("close", () => transport.onclose?.());
  const browser = await chromium.connectOverCDP(transport);
  const [page] = browser.contexts()[0]?.pages() ?? [];
  if (page === undefined) throw new Error("Playwright sees no page");
  return page;
}

async function puppeteerPage(): Promise<Page> {
  const transport: ConnectionTransport = {
    send: (message) => socket.send(message),
    close: () => socket.close(),
  };
  socket.on("message", (text) => transport.onmessage?.(String(text)));
  socket.on("close", () => transport.onclose?.());
  const browser = await puppeteer.connect({ transport, defaultViewport: null });
  const [page] = await browser.pages();
  if (page === undefined) throw new Error("Puppeteer sees no page");
  return page;
}

const page = library === "playwright" ? await playwrightPage() : await puppeteerPage();
await page.goto(`${site}/keys`);
process.stdout.write("works\n");
const destroyMs = Number(destroyAfter);
if (Number.isFinite(destroyMs))
  setTimeout(() => {
    socket.terminate();
    process.exit(0);
  }, destroyMs);
for (;;) {
  await page.evaluate("document.body.append(String(Math.random()))");
  await page.screenshot();
  await page.goto(`${site}/table`);
}
