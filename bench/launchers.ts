/** The compared ways to open a browser: same binary, same switches, a new user data directory each time. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { type BrowserProcess, spawnBrowser } from "../actors/profile/chromium/process.ts";
import { killBrowser } from "../actors/profile/chromium/stop.ts";
import { type ShownDevice, switchesOf } from "../actors/profile/chromium/switches.ts";
import { findChromium } from "../gateway/machine.ts";
import { importPeer } from "./peers.ts";
import { openRawCdp } from "./raw-cdp.ts";
import { endsWithBench, owned } from "./run/ending.ts";
import type { Rest } from "./served.ts";

export interface Launcher {
  launch(): Promise<void>;
  stop(): Promise<void>;
}

/** Otherwise the libraries end the bench on a signal, before its own clean-up. */
export const noSignals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/** Removed after the suite, because on ext4 deletions slow down the next contestant's file creation. */
async function newDir(of: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), `troupe-bench-${of}-`));
  endsWithBench(() => rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  return dir;
}

function switchesIn(userDataDir: string, device: ShownDevice | null = null): string[] {
  return switchesOf({ userDataDir, headless: true, asRoot: process.getuid?.() === 0, device });
}

function jsonSwitchesIn(userDataDir: string, device: ShownDevice | null): string[] {
  return switchesIn(userDataDir, device).map((flag) => flag.replace("-pipe=cbor", "-pipe"));
}

/** The device for a launcher's next launch, because window size affects its cost. */
export type DeviceNow = () => ShownDevice | null;
const noDevice: DeviceNow = () => null;

export function bareLauncher(chromiumPath: string, device: DeviceNow = noDevice): Launcher {
  let end = async (): Promise<void> => {};
  return {
    async launch() {
      const dir = await newDir("bare");
      const child = spawn(chromiumPath, jsonSwitchesIn(dir, device()), {
        detached: true,
        stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      });
      const output = child.stdio[3] as Writable;
      const input = child.stdio[4] as Readable;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      const send = (message: object) => output.write(`${JSON.stringify(message)}\0`);
      end = owned(async () => {
        send({ id: 3, method: "Browser.close" });
        await gone;
      });
      await firstPageAnswers(input, send);
    },
    stop: () => end(),
  };
}

async function firstPageAnswers(input: Readable, send: (message: object) => void): Promise<void> {
  send({
    id: 1,
    method: "Target.setAutoAttach",
    params: { autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
  });
  let text = "";
  await new Promise<void>((resolve) => {
    input.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (let cut = text.indexOf("\0"); cut !== -1; cut = text.indexOf("\0")) {
        const message = JSON.parse(text.slice(0, cut));
        text = text.slice(cut + 1);
        if (message.id === 2) resolve();
        if (message.method !== "Target.attachedToTarget" || message.params.targetInfo.type !== "page")
          continue;
        const { sessionId } = message.params;
        send({ id: 2, method: "Runtime.evaluate", params: { expression: "1 + 1" }, sessionId });
      }
    });
  });
}

/** Ours over REST. Each launch uses a new profile from `profileIds`. `beforeStop` gets the running profile. */
export function restLauncher(
  rest: Rest,
  profileIds: string[],
  beforeStop: (profileId: string) => Promise<void> = async () => {},
): Launcher {
  let id: string | undefined;
  return {
    async launch() {
      id = profileIds.pop();
      if (id === undefined) throw new Error("more launches than profiles");
      await rest.launch(id);
    },
    async stop() {
      if (id === undefined) return;
      await beforeStop(id);
      await rest.stop(id);
    },
  };
}

export function playwrightLauncher(chromiumPath: string, device: DeviceNow = noDevice): Launcher {
  let end = async (): Promise<void> => {};
  return {
    async launch() {
      const dir = await newDir("playwright");
      const context = await chromium.launchPersistentContext(dir, {
        executablePath: chromiumPath,
        args: jsonSwitchesIn(dir, device()),
        ignoreDefaultArgs: true,
        viewport: null,
        ...noSignals,
      });
      end = owned(async () => {
        await context.close();
      });
      await context.pages()[0]?.evaluate("1 + 1");
    },
    stop: () => end(),
  };
}

export function puppeteerLauncher(chromiumPath: string, device: DeviceNow = noDevice): Launcher {
  let end = async (): Promise<void> => {};
  return {
    async launch() {
      const dir = await newDir("puppeteer");
      const browser = await puppeteer.launch({
        executablePath: chromiumPath,
        args: jsonSwitchesIn(dir, device()),
        ignoreDefaultArgs: true,
        defaultViewport: null,
        ...noSignals,
      });
      end = owned(async () => {
        await browser.close();
      });
      const [page] = await browser.pages();
      await page?.evaluate("1 + 1");
    },
    stop: () => end(),
  };
}

interface ChromeLauncher {
  launch(options: object): Promise<{ port: number; process: ChildProcess }>;
  killAll(): unknown;
}

/** chrome-launcher only opens browsers, so a raw session on its port does the rest. */
export async function chromeLauncherLauncher(
  chromePath: string,
  device: DeviceNow = noDevice,
): Promise<Launcher> {
  const chromeLauncher: ChromeLauncher = await importPeer("chrome-launcher");
  let end = async (): Promise<void> => {};
  return {
    async launch() {
      const dir = await newDir("chrome-launcher");
      let gone: Promise<unknown> = Promise.resolve();
      // Register before launching, because it polls slowly for its browser. Only one is open at a time.
      end = owned(async () => {
        chromeLauncher.killAll();
        await gone;
      });
      const chrome = await chromeLauncher.launch({
        chromePath,
        userDataDir: dir,
        // It adds its own port and page.
        chromeFlags: switchesIn(dir, device()).filter((flag) => /^--(?!remote-debugging)/.test(flag)),
        ignoreDefaultFlags: true,
        handleSIGINT: false,
        logLevel: "silent",
      });
      gone = new Promise((resolve) => chrome.process.once("exit", resolve));
      const page = await openRawCdp(`http://127.0.0.1:${chrome.port}`);
      await page.send("Runtime.evaluate", { expression: "1 + 1" });
      page.close();
    },
    stop: () => end(),
  };
}

/** Runs `use` with a browser outside any service, with the same switches and the screen of `device`. */
export async function withBareBrowser<Result>(
  use: (cdpUrl: string, browser: BrowserProcess) => Promise<Result>,
  device: ShownDevice | null = null,
): Promise<Result> {
  const dir = await newDir("bare");
  const switches = ["--remote-debugging-port=0", ...switchesIn(dir, device)];
  const browser = spawnBrowser({ chromiumPath: findChromium(), switches, env: process.env });
  try {
    return await use(`http://127.0.0.1:${await portIn(dir)}`, browser);
  } finally {
    await killBrowser(browser);
  }
}

async function portIn(dir: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(dir, "DevToolsActivePort"), "utf8").catch(() => "");
    const port = Number(text.split("\n")[0]);
    if (port > 0) return port;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
