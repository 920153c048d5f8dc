/** `troupe` as users run it: the built command in a process of its own, for tests of the whole service. */
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

/** Runs one command to its end. */
export function troupe(...args: string[]): Promise<Ended> {
  return troupeFed("", ...args);
}

/** Runs one command that reads `input` from its stdin. */
export async function troupeFed(input: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => {}); // It may end without reading.
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
  /** Milliseconds from spawn to the ready line. */
  readyMs: number;
  /** What it has written to stderr so far. */
  stderr(): string;
  /** Settles when it has ended, however. */
  ended: Promise<Ended>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** A service that has been started, and may not be ready yet. */
export interface Beginning {
  child: ChildProcess;
  /** The line that it says when it is ready. Rejects when it ends before. */
  ready: Promise<{ apiUrl: string; token?: string; pid: number }>;
  /** What it has said on stderr by now: its log. */
  stderr(): string;
  ended: Promise<Ended>;
}

/** Starts `troupe serve` on `dataDir`, with the API on. */
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
  ready.catch(() => {}); // Who cares awaits it.
  return { child, ready, stderr: () => out().stderr, ended };
}

/** Starts `troupe serve` on `dataDir`, with the API on, and waits until it is ready. */
export async function serve(dataDir: string, ...flags: string[]): Promise<Served> {
  const startedAt = performance.now();
  const { child, ready, stderr, ended } = beginServe(dataDir, flags);
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

/** Processes whose command line names `text` (a temporary directory that only the test knows), zombies left out. */
export function processesNaming(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
        // The browser's crash handler has a session of its own, and ends a moment after the browser's last process.
        return command.includes(text) && !command.includes("chrome_crashpad_handler");
      } catch {
        return false; // It ended while the list was read.
      }
    })
    .map(Number);
}

/** No time that is expected of anything: a busy machine is waited for, and a test that would hang ends. */
const patienceMs = 120_000;

/** Waits until `holds` is true, looking every 20 ms unless that costs too much, and answers the milliseconds waited. Throws after two minutes. */
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
