/** The control page's window: at most one, in the Chromium that profiles use. It ends with the service. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { withDeadline } from "../../actors/kernel/deadline.ts";
import { signalGroup } from "../../actors/kernel/process-group.ts";
import { Fault } from "../../protocol/faults.ts";
import { startChromium } from "../chromium-process.ts";
import { displayVariables } from "../machine.ts";
import { openWindowPipe, type WindowPipe } from "./window-pipe.ts";

export interface AppWindow {
  /** Opens the window, or raises the open one. Throws `internal` when it does not open. `display`: the caller's `displayVariables`. */
  show(display: Record<string, string>): Promise<"opened" | "raised">;
  close(): Promise<void>;
}

const openMs = 30_000;
/** After this time the browser is killed. */
const closeMs = 2_000;
/** Helper processes get this long to end, then the same again after SIGKILL: where no init reaps them, they never leave the group. */
const helpersMs = 100;
const lookMs = 10;

const switches: readonly (readonly [name: string, reason: string])[] = [
  [
    "--remote-debugging-pipe",
    "the window's lifeline: when the service ends, for any reason, the browser exits",
  ],
  ["--no-first-run", "no welcome page"],
  ["--no-default-browser-check", "no prompt in the window"],
  ["--hide-crash-restore-bubble", "nothing to restore: the link of the last session was used"],
  ["--password-store=basic", "no prompt of the desktop's key ring: the page stores no password"],
  ["--use-mock-keychain", "the same on macOS"],
  ["--disable-background-networking", "the page talks to the service only"],
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
  openUrl(): string;
}

export function createAppWindow({ dataDir, openUrl }: AppWindowParts): AppWindow {
  let opened: Opened | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  const show = async (display: Record<string, string>) => {
    if (opened !== null) {
      if (await opened.pipe.raise().catch(() => false)) return "raised";
      await end(opened); // On macOS a browser stays when its last window closes.
    }
    const url = openUrl();
    const started = await start(url, join(dataDir, "control-page"), display);
    opened = started;
    const forget = () => {
      if (opened === started) opened = null;
    };
    started.gone.then(forget, forget);
    try {
      const failed = failure(started); // Its error says more than that of the pipe, which closes first.
      const shown = started.pipe.shows(new URL(url).origin).catch(() => failed);
      await withDeadline(Promise.race([shown, failed]), openMs, "its page");
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

/** In its own process group, so that Ctrl-C in the service's terminal does not reach the browser. */
async function start(url: string, userDataDir: string, display: Record<string, string>): Promise<Opened> {
  const root = process.platform !== "win32" && process.getuid?.() === 0;
  const args = [
    `--app=${url}`,
    `--user-data-dir=${userDataDir}`, // Its own directory, so that no other browser of the user opens the window.
    ...switches.map(([name]) => name),
    ...(existsSync(userDataDir) ? [] : ["--window-size=1280,840"]), // Chromium restores the user's size later.
    ...(root ? ["--no-sandbox"] : []), // Chromium refuses to run as root with its sandbox.
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
  await withDeadline(gone, closeMs, "its browser").catch(() => signalGroup(child, "SIGKILL"));
  await gone;
  const until = Date.now() + helpersMs;
  while (signalGroup(child, 0) && Date.now() < until + helpersMs) {
    if (Date.now() > until) signalGroup(child, "SIGKILL");
    await new Promise<void>((resolve) => setTimeout(resolve, lookMs));
  }
}
