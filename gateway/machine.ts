/** What this machine is: its system, timezone, memory, display, and where its Chromium is. */
import { accessSync, constants, existsSync } from "node:fs";
import { arch, availableParallelism } from "node:os";
import { join } from "node:path";
import chromiumPlaces from "../protocol/chromium-places.json" with { type: "json" };
import { Fault } from "../protocol/faults.ts";
import type { HostDevice } from "../protocol/fingerprint.ts";
import { limits } from "../protocol/limits.ts";
import type { Settings } from "../protocol/records.ts";
import type { ProfileOs } from "../protocol/scalars.ts";

/** The `os` of a profile that does not ask for another. */
export function hostOs(): ProfileOs {
  if (process.platform === "win32") return "windows";
  return process.platform === "darwin" ? "macos" : "linux";
}

/** What sampled devices take over from this machine. */
export function hostDevice(): HostDevice {
  return { os: hostOs(), architecture: arch().startsWith("arm") ? "arm" : "x86" };
}

/** Whether a window can open. The socket is looked at: a DISPLAY that nobody serves would cost a failing start. */
export function hasDisplay(env: NodeJS.ProcessEnv = process.env): boolean {
  if (process.platform !== "linux") return true;
  const local = /^:(\d+)/.exec(env.DISPLAY ?? "")?.[1];
  if (local !== undefined) return existsSync(`/tmp/.X11-unix/X${local}`);
  if (env.DISPLAY !== undefined && env.DISPLAY !== "") return true;
  const wayland = env.WAYLAND_DISPLAY;
  return wayland !== undefined && wayland !== "" && existsSync(join(env.XDG_RUNTIME_DIR ?? "/", wayland));
}

/** What of an environment says where windows open. */
export const displayVariables = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"] as const;

/** Those of this process, by name. */
export function displayOf(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of displayVariables) {
    const value = env[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Where what the engine said of itself is kept: TROUPE_CACHE_DIR, which several services may share, else the data directory's `cache`. */
export function engineCacheDir(dataDir: string, env: NodeJS.ProcessEnv = process.env): string {
  const asked = env.TROUPE_CACHE_DIR;
  return asked === undefined || asked === "" ? join(dataDir, "cache") : asked;
}

const noChromium = { code: "no-chromium" };

/** Path of the Chromium to run: CHROMIUM_PATH, else the usual places. Throws `internal` with the remedy. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  const asked = env.CHROMIUM_PATH;
  if (asked !== undefined && asked !== "") {
    if (isExecutable(asked)) return asked;
    throw new Fault("internal", `CHROMIUM_PATH is ${asked}, which is not an executable file`, noChromium);
  }
  const byPlatform: Record<string, string[]> = chromiumPlaces;
  const places = (byPlatform[process.platform] ?? []).map((place) =>
    place.replace(/%([^%]+)%/g, (_whole, name: string) => env[name] ?? ""),
  );
  const found = places.find(isExecutable);
  if (found !== undefined) return found;
  throw new Fault(
    "internal",
    "no Chromium was found; install one (Debian: apt-get install chromium) or set CHROMIUM_PATH to its executable",
    noChromium,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Browsers that this machine's memory holds now (protocol/README.md, "The pool"). At least 1. */
export function browsersByMemory(availableBytes = process.availableMemory()): number {
  const room = availableBytes - limits.memoryReservedBytes;
  return Math.max(1, Math.floor(room / limits.memoryPerBrowserBytes));
}

/** `max` of the pool: the smallest of the user's setting, the plan's limit and the machine's memory. */
export function browsersMax(settings: Settings, asked: number | null, byMemory: number): number {
  const wanted = asked ?? settings.browsersMax;
  return Math.max(1, Math.min(wanted === 0 ? byMemory : wanted, settings.plan.browsersMax, byMemory));
}

/**
 * Browsers that may start at once. Sixteen launches on two cores took 1.64 times as long as sixteen bare spawns when two were
 * let through at a time, 1.56 with four and 1.29 with all (one run, medians): what a browser still does after it has answered
 * holds up those behind the gate. The bound is there for a crowd that would not be done within `limits.launchTimeoutMs`.
 */
export function launchesAtOnce(): number {
  return 8 * availableParallelism();
}
