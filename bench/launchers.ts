/** The ways to open a browser that are compared: the same binary, the same switches, a new user data directory each time. */
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

/** Opens one browser and ends it; launched again, it opens another. */
export interface Launcher {
  /** Answers when the first page answers. */
  launch(): Promise<void>;
  /** Answers when the browser's process is gone. */
  stop(): Promise<void>;
}

/** The libraries would end the bench before it has ended what it started. */
export const noSignals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/**
 * Removed when the suite has ended, and not between two launches: for half a minute ext4 looks past the places of deleted files,
 * which whoever makes files next would pay for, and that is another contestant.
 */
async function newDir(of: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), `troupe-bench-${of}-`));
  endsWithBench(() => rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  return dir;
}

function switchesIn(userDataDir: string, device: ShownDevice | null = null): string[] {
  return switchesOf({ userDataDir, headless: true, asRoot: process.getuid?.() === 0, device });
}

/** The same for those who speak JSON over the pipe. */
function jsonSwitchesIn(userDataDir: string, device: ShownDevice | null): string[] {
  return switchesIn(userDataDir, device).map((flag) => flag.replace("-pipe=cbor", "-pipe"));
}

/** The device whose switches a launcher adds at its next launch: a window four times as large is more to make and to draw. */
export type DeviceNow = () => ShownDevice | null;
const noDevice: DeviceNow = () => null;

/**
 * The least that can be written: no lock, no undo, no tabs; spawned, and its first page answers `Runtime.evaluate` over the pipe.
 */
export function bareLauncher(chromiumPath: string, device: DeviceNow = noDevice): Launcher {
  let end = async (): Promise<void> => {};
  return {
    async launch() {
      const dir = await newDir("bare");
      const child = spawn(chromiumPath, jsonSwitchesIn(dir, device()), {
        detached: true,
        stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      });
      const output = child.stdio[3] as Writable; // Pipes, as asked for above.
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

/** Ours over REST; each launch takes a profile of `profileIds` that was never opened. `beforeStop` is given the profile that runs. */
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

/** As far as it is used here. */
interface ChromeLauncher {
  launch(options: object): Promise<{ port: number; process: ChildProcess }>;
  killAll(): unknown;
}

/** chrome-launcher opens and leaves the driving to others: here, a raw session over the port that it found. */
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
      // Known before it answers: it looks for its browser every half second only. One is open at a time.
      end = owned(async () => {
        chromeLauncher.killAll();
        await gone;
      });
      const chrome = await chromeLauncher.launch({
        chromePath,
        userDataDir: dir,
        // It adds a port of its own choice, and the page.
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

/** A browser that is not of a service, with the same switches, and with the screen of `device`, for the time of `use`. */
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

/** Chromium writes the port that it has picked into its directory. */
async function portIn(dir: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(dir, "DevToolsActivePort"), "utf8").catch(() => "");
    const port = Number(text.split("\n")[0]);
    if (port > 0) return port;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
