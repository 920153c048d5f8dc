/** The control page's own window: one at most, of the Chromium that profiles use. It is the service's, and ends with it. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import { startChromium } from "../chromium-process.ts";
import { displayVariables } from "../machine.ts";
import { openWindowPipe, type WindowPipe } from "./window-pipe.ts";
import { within } from "./within.ts";

export interface AppWindow {
  /**
   * Opens the window on the display that the caller sees, or brings the one that is open to the front. Answers once the page
   * is there. Throws `internal` when it does not open.
   * @param display variables of the caller's environment, by `displayVariables`
   */
  show(display: Record<string, string>): Promise<"opened" | "raised">;
  /** Ends the window's browser and answers when it is gone. */
  close(): Promise<void>;
}

/** A first start on a crowded machine takes seconds. */
const openMs = 30_000;
/** A browser that has been asked to close keeps its window's place within that time, or is ended. */
const closeMs = 2_000;
/**
 * What it has started may take so long after it, looked for each `lookMs`, before it is killed. Where nobody collects orphans the
 * dead stay in the group, and each end takes this long.
 */
const helpersMs = 100;
const lookMs = 10;

/** Every switch, and why it is there. */
const switches: readonly (readonly [name: string, reason: string])[] = [
  [
    "--remote-debugging-pipe",
    "the window's lifeline: when the service is gone, however it went, the browser exits by itself, and with it a page that could reach nobody",
  ],
  ["--no-first-run", "no welcome page"],
  ["--no-default-browser-check", "no question in the window"],
  ["--hide-crash-restore-bubble", "nothing to restore: the last session's link is used up"],
  ["--password-store=basic", "no question of the desktop's key ring for a page that keeps no password"],
  ["--use-mock-keychain", "the same on macOS"],
  ["--disable-background-networking", "the page has nothing to say to anybody else"],
  ["--disable-component-update", "the same"],
  ["--disable-sync", "the same"],
];

interface Opened {
  child: ChildProcess;
  pipe: WindowPipe;
  gone: Promise<void>;
}

export interface AppWindowParts {
  dataDir: string;
  /** A new link to the control page. */
  openUrl(): string;
}

export function createAppWindow({ dataDir, openUrl }: AppWindowParts): AppWindow {
  let opened: Opened | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  const show = async (display: Record<string, string>) => {
    if (opened !== null) {
      if (await opened.pipe.raise().catch(() => false)) return "raised";
      await end(opened); // On macOS a browser outlives its last window.
    }
    const url = openUrl();
    const started = await start(url, join(dataDir, "control-page"), display);
    opened = started;
    const forget = () => {
      if (opened === started) opened = null;
    };
    started.gone.then(forget, forget);
    try {
      const failed = failure(started); // It knows more than the pipe, which closes first.
      const shown = started.pipe.shows(new URL(url).origin).catch(() => failed);
      await within(openMs, "its page", Promise.race([shown, failed]));
      return "opened";
    } catch (error) {
      await end(started);
      throw didNotOpen(error);
    }
  };
  return {
    show(display) {
      const shown = turn.then(() => show(display));
      turn = shown.catch(() => {});
      return shown;
    },
    async close() {
      if (opened !== null) await end(opened);
    },
  };
}

const didNotOpen = (error: unknown) =>
  new Fault("internal", `the window did not open: ${error instanceof Error ? error.message : error}`);

/** The browser, in a process group of its own: Ctrl-C in the service's terminal is for the service alone. */
async function start(url: string, userDataDir: string, display: Record<string, string>): Promise<Opened> {
  const root = process.platform !== "win32" && process.getuid?.() === 0;
  const args = [
    `--app=${url}`,
    `--user-data-dir=${userDataDir}`, // Of its own, so that no other browser of the user is joined.
    ...switches.map(([name]) => name),
    ...(existsSync(userDataDir) ? [] : ["--window-size=1280,840"]), // Later it is as the user left it.
    ...(root ? ["--no-sandbox"] : []), // Chromium refuses to run as root otherwise.
  ];
  const env = { ...process.env };
  for (const name of displayVariables) {
    if (display[name] === undefined) delete env[name];
    else env[name] = display[name];
  }
  const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const;
  const options = { detached: true, env, stdio: [...stdio] };
  const child = await startChromium(args, options).catch((error: unknown) => {
    throw didNotOpen(error);
  });
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  return { child, pipe: openWindowPipe(child), gone };
}

/** Rejects when the browser ends. */
function failure({ child }: Opened): Promise<never> {
  return new Promise((_resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      reject(new Error(`Chromium ended with ${signal ?? `code ${code}`}`));
    });
  });
}

async function end({ child, pipe, gone }: Opened): Promise<void> {
  pipe.close();
  await within(closeMs, "its browser", gone).catch(() => signal(child, "SIGKILL"));
  await gone;
  // What the browser has started ends a moment after it, or is killed and then ends. The dead that nobody collects stay for ever.
  const until = Date.now() + helpersMs;
  while (signal(child, 0) && Date.now() < until + helpersMs) {
    if (Date.now() > until) signal(child, "SIGKILL");
    await new Promise<void>((resolve) => setTimeout(resolve, lookMs));
  }
}

/** To the browser and, where there are process groups, all that it has started. False when nobody is there any more. */
function signal(child: ChildProcess, name: "SIGKILL" | 0): boolean {
  if (process.platform === "win32") return child.kill(name);
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, name);
  } catch {
    return false;
  }
}
