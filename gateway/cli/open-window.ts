/** `troupe open`: a link to the control page, and a window of its own for it where there is a display. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { findChromium, hasDisplay } from "../machine.ts";
import { type CommonFlags, write } from "./commands.ts";
import { complain } from "./output.ts";
import { dataDirOf, runningService } from "./reach.ts";

/** A browser that has not failed by then stands. */
const startMs = 1_000;

export async function open(flags: CommonFlags & { window?: boolean }): Promise<void> {
  const { url } = await runningService(flags).openLink({});
  const opened = flags.window !== false && hasDisplay() && (await openWindow(url, dataDirOf(flags)));
  write(flags, { url, opened }, () => url);
}

/** The Chromium that profiles use, with a directory of its own, so that no other browser of the user is joined. */
async function openWindow(url: string, dataDir: string): Promise<boolean> {
  const root = process.platform !== "win32" && process.getuid?.() === 0;
  const args = [
    `--app=${url}`,
    `--user-data-dir=${join(dataDir, "control-page")}`,
    "--no-first-run",
    "--no-default-browser-check",
    ...(root ? ["--no-sandbox"] : []), // Chromium refuses to run as root otherwise.
  ];
  try {
    const window = spawn(findChromium(), args, { detached: true, stdio: "ignore" });
    await once(window, "spawn");
    const ended = once(window, "exit").then(([code]) => code !== 0);
    const failed = await Promise.race([
      ended,
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), startMs).unref()),
    ]);
    window.unref();
    if (failed) complain("the window did not open; the link works in any browser");
    return !failed;
  } catch (error) {
    complain(`no window: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}
