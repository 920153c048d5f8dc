/** Attaches Playwright or Puppeteer to the profile's browser, and makes the module that a script's `import` resolves to. */
import type { BrowserType, ConnectOverCDPTransport, Browser as PlaywrightBrowser } from "playwright-core";
import type { ConnectionTransport, Browser as PuppeteerBrowser, Page as PuppeteerPage } from "puppeteer-core";
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import type { Channel } from "./channel.ts";
import type { LoadedModule } from "./load-module.ts";

type PlaywrightModule = typeof import("playwright-core");
type PuppeteerModule = typeof import("puppeteer-core");

/** The objects that a script drives. */
export interface Attached {
  browser: unknown;
  page: unknown;
}

/** A library that is loaded, but not attached yet. */
export interface LoadedLibrary {
  library: ScriptLibrary;
  specifiers: readonly string[];
  exports: Record<string, unknown>;
  attach(channel: Channel, artifactsDir: string): Promise<Attached>;
}

/** Prepares the library for scripts: `connect` returns the run's own browser, and `launch` is refused. */
export function loadLibrary(library: ScriptLibrary, module: LoadedModule): LoadedLibrary {
  const exports = Object(module.exports);
  return library === "playwright" ? playwright(exports) : puppeteer(exports);
}

function refused(what: string, remedy: string): () => never {
  return () => {
    throw new Error(`${what} is refused: ${remedy}`);
  };
}

const running = "the profile's browser is already running; use the given page, or connect over CDP";
const stays = "the profile's browser stays open after the script; return from run instead";
const noContext = "a script uses the profile's own context; use browser.contexts()[0] or the given page";

const playwrightExports = [
  "chromium",
  "firefox",
  "webkit",
  "selectors",
  "devices",
  "errors",
  "request",
  "_electron",
  "_android",
];

function playwright(module: PlaywrightModule): LoadedLibrary {
  let attached: PlaywrightBrowser | null = null;
  const connectOverCDP = module.chromium.connectOverCDP.bind(module.chromium);
  for (const type of [module.chromium, module.firefox, module.webkit]) {
    for (const name of ["launch", "launchServer", "launchPersistentContext", "connect", "_launchServer"])
      override(type, name, refused(`${type.name()}.${name}`, running));
    override(type, "connectOverCDP", async () => attached ?? refused("connectOverCDP", "not attached yet")());
  }
  override(module._electron, "launch", refused("_electron.launch", running));
  for (const name of ["launchServer", "connect", "devices"])
    override(module._android, name, refused(`_android.${name}`, running));
  return {
    library: "playwright",
    specifiers: ["playwright-core", "playwright"],
    exports: {
      ...Object.fromEntries(playwrightExports.map((name) => [name, Reflect.get(module, name)])),
      default: module,
    },
    async attach(channel, artifactsDir) {
      const browser = await attachPlaywright(connectOverCDP, channel, artifactsDir);
      // Closing would only detach. Ignore it, so that scripts written elsewhere run to their end.
      override(browser, "close", async () => undefined);
      for (const name of ["newContext", "newPage"])
        override(browser, name, refused(`browser.${name}`, noContext));
      attached = browser;
      const context = browser.contexts()[0];
      if (context === undefined) throw new Error("the browser has no context");
      return { browser, page: context.pages()[0] ?? (await context.newPage()) };
    },
  };
}

async function attachPlaywright(
  connectOverCDP: BrowserType["connectOverCDP"],
  channel: Channel,
  artifactsDir: string,
): Promise<PlaywrightBrowser> {
  const transport: ConnectOverCDPTransport = {
    send: (message) => channel.sendCdp(JSON.stringify(message)),
    close: () => transport.onclose?.(),
  };
  // Asks for download events: with `noDefaults`, which keeps the profile's colour scheme and fonts, Playwright does not ask itself.
  const downloadsId = 2 ** 31 - 1;
  channel.onCdp((text) => {
    const message: { id?: number } = JSON.parse(text);
    if (message.id !== downloadsId) transport.onmessage?.(message);
  });
  const browser = await connectOverCDP(transport, { noDefaults: true, artifactsDir });
  transport.send({
    id: downloadsId,
    method: "Browser.setDownloadBehavior",
    params: { behavior: "allowAndName", downloadPath: artifactsDir, eventsEnabled: true },
  });
  return browser;
}

function puppeteer(module: PuppeteerModule): LoadedLibrary {
  let attached: PuppeteerBrowser | null = null;
  const connect = async () => attached ?? refused("puppeteer.connect", "not attached yet")();
  const replaced = {
    connect,
    launch: refused("puppeteer.launch", running),
    executablePath: refused("puppeteer.executablePath", running),
    defaultArgs: refused("puppeteer.defaultArgs", running),
  };
  const puppeteerConnect = module.default.connect.bind(module.default);
  for (const [name, value] of Object.entries(replaced)) override(module.default, name, value);
  return {
    library: "puppeteer",
    specifiers: ["puppeteer-core", "puppeteer"],
    exports: { ...module, ...replaced },
    async attach(channel) {
      const transport: ConnectionTransport = {
        send: (text) => channel.sendCdp(text),
        close: () => transport.onclose?.(),
      };
      channel.onCdp((text) => transport.onmessage?.(text));
      // Without null, Puppeteer resizes the tab to 800x600 (actors/dsl/README.md, "Compiling").
      const browser = await puppeteerConnect({ transport, defaultViewport: null });
      // Unlike Playwright's, Puppeteer's close ends the browser.
      override(browser, "close", refused("browser.close", stays));
      override(browser, "createBrowserContext", refused("browser.createBrowserContext", noContext));
      attached = browser;
      return { browser, page: await firstPage(browser) };
    },
  };
}

async function firstPage(browser: PuppeteerBrowser): Promise<PuppeteerPage> {
  const [page] = await browser.pages();
  return page ?? (await browser.newPage());
}

function override(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: false, configurable: false, enumerable: false });
}
