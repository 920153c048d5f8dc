/** `troupe` without a command, `troupe chromium install` and `troupe demo`, for a first start. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { findChromium } from "../machine.ts";
import { type CommonFlags, write } from "./commands.ts";
import { exitCodes, tell } from "./output.ts";
import { type DataFlag, serviceIfRunning } from "./reach.ts";
import type { ServeFlags } from "./serve.ts";

const isSource = import.meta.url.endsWith(".ts");
/** The address of a built file, from source or from its neighbour. */
export const bundle = (name: string) =>
  new URL(isSource ? `../../dist/${name}` : `./${name}`, import.meta.url);

/** Starts the service with its window, or opens the page of the one that runs. */
export async function start(
  serve: (flags: ServeFlags) => Promise<number>,
  flags: DataFlag = {},
): Promise<number> {
  if (serviceIfRunning(flags) !== null) {
    const { open } = await import("./open-window.ts");
    await open(flags);
    return exitCodes.ok;
  }
  await needChromium();
  return serve({ ...flags, window: true });
}

/** Installs a Chromium if none is found. Throws when CHROMIUM_PATH names none, or none can be installed. */
export async function needChromium(): Promise<string> {
  try {
    return findChromium();
  } catch (error) {
    if (process.env.CHROMIUM_PATH) throw error;
    return install();
  }
}

async function install(): Promise<string> {
  // A bundle of its own, because few commands need its packages.
  const path = isSource ? new URL("../install-chromium.ts", import.meta.url) : bundle("install-chromium.cjs");
  const { installChromium }: typeof import("../install-chromium.ts") = await import(path.href);
  return installChromium({ say: tell });
}

export async function chromiumInstall(flags: CommonFlags): Promise<void> {
  const path = await needChromium();
  write(flags, { path }, () => path);
}

export interface DemoFlags {
  profiles?: string;
  concurrency?: string;
  output?: string;
}

/** Runs the demo as a process of its own, as `npm run demo` does, and returns its exit code. */
export async function demo(flags: DemoFlags): Promise<number> {
  await needChromium();
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [fileURLToPath(bundle("demo.js")), ...args], { stdio: "inherit" });
  const pass = (signal: NodeJS.Signals) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal); // A terminal signals both itself.
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, pass);
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : exitCodes.interrupted;
}
