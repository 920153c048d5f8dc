/** Runs the built `troupe` command in its own process, as users do. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../../dist/troupe.js", import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export function troupe(...args: string[]): Promise<Ended> {
  return troupeFed("", ...args);
}

export const troupeFed = (input: string, ...args: string[]) => troupeIn(process.env, input, ...args);

export async function troupeIn(env: NodeJS.ProcessEnv, input: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ["pipe", "pipe", "pipe"], env });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const out = collect(child);
  const [code] = await once(child, "close");
  return { code, ...out() };
}

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  return () => ({ stdout, stderr });
}

export interface Served {
  apiUrl: string;
  token: string;
  pid: number;
  readyMs: number;
  stderr(): string;
  ended: Promise<Ended>;
  end(signal: NodeJS.Signals): Promise<Ended>;
}

export interface Beginning {
  child: ChildProcess;
  /** The ready line. Rejects when the process ends first. */
  ready: Promise<{ apiUrl: string; token?: string; pid: number }>;
  stderr(): string;
  ended: Promise<Ended>;
}

export function beginServe(dataDir: string, flags: string[], env = process.env): Beginning {
  const args = ["serve", "--data", dataDir, "--json", "--api", "on", "--port", "0", ...flags];
  const child = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
  const out = collect(child);
  const ended = once(child, "close").then(([code]): Ended => ({ code, ...out() }));
  const line = new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", () => {
      const text = out().stdout;
      if (text.includes("\n")) resolve(text);
    });
    child.once("close", (code) => reject(new Error(`serve ended with ${code}: ${out().stderr}`)));
  });
  const ready = line.then((text): Awaited<Beginning["ready"]> => JSON.parse(text));
  ready.catch(() => {}); // Callers may ignore it.
  return { child, ready, stderr: () => out().stderr, ended };
}

export const serve = (dataDir: string, ...flags: string[]) => serveIn(process.env, dataDir, flags);

export async function serveIn(env: NodeJS.ProcessEnv, dataDir: string, flags: string[]): Promise<Served> {
  const startedAt = performance.now();
  const { child, ready, stderr, ended } = beginServe(dataDir, flags, env);
  const { apiUrl, token, pid } = await ready;
  return {
    apiUrl,
    token: token ?? "",
    pid,
    readyMs: performance.now() - startedAt,
    stderr,
    ended,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Ids of processes whose command line contains `text`, a directory of this test. Excludes zombies. */
export function processesNaming(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
        // The crash handler ends a moment after the browser, in its own session.
        return command.includes(text) && !command.includes("chrome_crashpad_handler");
      } catch {
        return false; // The process ended meanwhile.
      }
    })
    .map(Number);
}

/** Not a measurement: long enough for a busy machine, it only ends a test that hangs. */
const patienceMs = 120_000;

/** Polls until `holds` returns true, and returns the milliseconds waited. Throws after two minutes. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  everyMs = 20,
): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    if (await holds()) return performance.now() - startedAt;
    if (performance.now() - startedAt > patienceMs) throw new Error(`${what}: not within ${patienceMs} ms`);
    await new Promise<void>((resolve) => setTimeout(resolve, everyMs));
  }
}
