/** Starts the built Troupe on its own data directory, runs its commands, and stops it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundle } from "./place.ts";

export interface StartedTroupe {
  apiUrl: string;
  token: string;
  readyMs: number;
  /** Sends SIGINT and waits for the exit. Throws if it had to be killed. */
  stop(): Promise<void>;
}

/** Above the service's own limits for starting and stopping. */
const readyTimeoutMs = 30_000;
const stopTimeoutMs = 15_000;
const lastWordsMax = 4_000;

const command = () => bundle("troupe.js");

interface ReadyLine {
  apiUrl: string;
  token: string;
}

function parseReady(line: string): ReadyLine {
  const said: unknown = JSON.parse(line);
  if (typeof said === "object" && said !== null && "apiUrl" in said && "token" in said) {
    const { apiUrl, token } = said;
    if (typeof apiUrl === "string" && typeof token === "string") return { apiUrl, token };
  }
  throw new Error(`Troupe's ready line lacks apiUrl or token: ${line}`);
}

export async function startTroupe(dataDir: string): Promise<StartedTroupe> {
  const startMs = performance.now();
  const args = ["serve", "--data", dataDir, "--port", "0", "--api", "on", "--mint", "demo", "--json"];
  // In its own process group, so that Ctrl-C reaches only the demo, which then stops Troupe.
  const child = spawn(process.execPath, [command(), ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsMax);
  });
  const exited = once(child, "exit");
  const killNow = () => child.kill("SIGKILL");
  process.once("exit", killNow);
  void exited.then(() => process.off("exit", killNow));

  const lines = createInterface({ input: child.stdout });
  const timeout = AbortSignal.timeout(readyTimeoutMs);
  const ready = await Promise.race([
    once(lines, "line", { signal: timeout }).then(([line]) => parseReady(String(line))),
    exited.then(([code]) => Promise.reject(new Error(`Troupe ended with code ${code} before it was ready`))),
  ]).catch((error: unknown) => {
    killNow();
    const reason = timeout.aborted ? `Troupe was not ready within ${readyTimeoutMs} ms` : String(error);
    throw new Error(`${reason}\n${lastWords}`.trim());
  });
  lines.resume();

  return {
    ...ready,
    readyMs: performance.now() - startMs,
    async stop() {
      child.kill("SIGINT");
      const timer = setTimeout(killNow, stopTimeoutMs);
      const [code, signal] = await exited;
      clearTimeout(timer);
      if (code !== 0)
        throw new Error(`Troupe did not stop cleanly (${signal ?? `code ${code}`})\n${lastWords}`);
    },
  };
}

/** Runs one command on the same data directory. Throws with its output on failure. */
export async function callTroupe(dataDir: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [command(), ...args, "--data", dataDir], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`troupe ${args.join(" ")} ended with code ${code}: ${said.trim()}`);
}
