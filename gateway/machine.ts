/** What this machine is: system, memory, display, path of Chromium. */

import { accessSync, constants, existsSync } from "node:fs";
import { arch, availableParallelism } from "node:os";
import { join } from "node:path";
import { memoryLeft } from "../actors/kernel/free-memory.ts";
import { homeDir, neededHomeDir } from "../actors/kernel/home-dir.ts";
import { procFile } from "../actors/kernel/proc-file.ts";
import chromiumPlaces from "../protocol/chromium-places.json" with { type: "json" };
import { Fault } from "../protocol/faults.ts";
import type { HostDevice } from "../protocol/fingerprint.ts";
import { limits } from "../protocol/limits.ts";
import type { Settings } from "../protocol/records.ts";
import type { ProfileOs } from "../protocol/scalars.ts";
import { defaultDataDir } from "./instance.ts";

export { weightOf } from "../actors/kernel/browser-weights.ts";
export { fewOpenFiles } from "../actors/kernel/open-files.ts";
export { startsPrograms } from "../actors/kernel/process-group.ts";
export { statedVersion } from "../actors/kernel/program-version.ts";
export { homeDir, memoryLeft, neededHomeDir, procFile };

export function hostOs(): ProfileOs {
  if (process.platform === "win32") return "windows";
  return process.platform === "darwin" ? "macos" : "linux";
}

export function hostDevice(): HostDevice {
  return { os: hostOs(), architecture: arch().startsWith("arm") ? "arm" : "x86" };
}

/** Why ended processes stay in the process table of this container, and the remedy; null where something reaps them. */
export function lacksInit(firstProgram = procFile("/proc/1/comm")): string | null {
  if (firstProgram?.trim() !== "node") return null;
  return "Node is process 1, and does not reap the orphans of an ended browser: they use up the process table; start the container with --init";
}

/** Whether a window can open. Looks for the X11 socket, because a DISPLAY without a server would make the start fail. */
export function hasDisplay(env: NodeJS.ProcessEnv = process.env): boolean {
  if (process.platform !== "linux") return true;
  const local = /^:(\d+)/.exec(env.DISPLAY ?? "")?.[1];
  if (local !== undefined) return existsSync(`/tmp/.X11-unix/X${local}`);
  if (env.DISPLAY !== undefined && env.DISPLAY !== "") return true;
  const wayland = env.WAYLAND_DISPLAY;
  return wayland !== undefined && wayland !== "" && existsSync(join(env.XDG_RUNTIME_DIR ?? "/", wayland));
}

export const displayVariables = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"] as const;

export function displayOf(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of displayVariables) {
    const value = env[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Where answers of the engine are cached: TROUPE_CACHE_DIR, which services may share, else `cache` in the data directory. */
export function engineCacheDir(dataDir: string, env: NodeJS.ProcessEnv = process.env): string {
  const asked = env.TROUPE_CACHE_DIR;
  return asked === undefined || asked === "" ? join(dataDir, "cache") : asked;
}

const noChromium = { code: "no-chromium" };

/** CHROMIUM_PATH, else the usual places, else the one that `installChromium` made. Throws `internal` with the remedy. */
export function findChromium(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const asked = env.CHROMIUM_PATH;
  if (asked !== undefined && asked !== "") {
    if (isExecutable(asked)) return asked;
    throw new Fault("internal", `CHROMIUM_PATH is ${asked}, which is not an executable file`, noChromium);
  }
  const found = chromiumOf(platform, env) ?? installedChromium(env);
  if (found !== null) return found;
  throw new Fault(
    "internal",
    "no Chromium was found; install one with: troupe chromium install, or set CHROMIUM_PATH to its executable",
    noChromium,
  );
}

/** What stands in one of the system's usual places. `.setup/find-chromium.mjs` reads the same list in the same order. */
export function chromiumOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | null {
  const byPlatform: Record<string, string[]> = chromiumPlaces;
  const places = (byPlatform[platform] ?? []).map((place) =>
    place.replace(/%([^%]+)%/g, (_whole, name: string) => env[name] ?? ""),
  );
  return places.find(isExecutable) ?? null;
}

/** Where this user's own Chromium is installed, and the file that names its program. */
export const browsersDir = (env: NodeJS.ProcessEnv = process.env) => join(defaultDataDir(env), "browsers");
export const installedChromiumFile = (env: NodeJS.ProcessEnv = process.env) =>
  join(browsersDir(env), "chromium-path");

export function installedChromium(env: NodeJS.ProcessEnv): string | null {
  const path = procFile(installedChromiumFile(env));
  return path !== null && isExecutable(path) ? path : null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Browsers that the available memory allows, at least 1 (protocol/README.md, "The pool"). */
export function browsersByMemory(browserBytes: number, availableBytes = memoryLeft().availableBytes): number {
  return Math.max(1, Math.floor((availableBytes - limits.memoryReservedBytes) / browserBytes));
}

/** Where the pool keeps what it measured of browsers. */
export const weightsFile = (dataDir: string) => join(engineCacheDir(dataDir), "browser-weights.json");

export function browsersMax(settings: Settings, asked: number | null, byMemory: number): number {
  const wanted = asked ?? settings.browsersMax;
  return Math.max(1, Math.min(wanted === 0 ? byMemory : wanted, settings.plan.browsersMax, byMemory));
}

/** Fewer at once are slower (bench/FINDINGS.md, "Launch"); more make the starts of many profiles exceed their deadlines. */
export function launchesAtOnce(): number {
  return 8 * availableParallelism();
}

/** As the checkout's commands have it (gateway/cli/README.md): else glibc keeps much of the memory of ended profiles. */
export const allocatorEnv = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };
