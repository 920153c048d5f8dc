/** Launch against a bare spawn: the same binary and switches, interleaved in one process, medians side by side. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { Bench } from "tinybench";
import { switchesOf } from "../actors/profile/chromium/switches.ts";
import { openBrowser } from "../actors/profile/launch.ts";

/** Launch and stop of one profile, by whatever way is to be measured; only the launch is timed. */
export interface LaunchClient {
  launch(): Promise<void>;
  stop(): Promise<void>;
}

export interface LaunchSuiteInput {
  chromiumPath: string;
  /** Launches of each kind. */
  rounds: number;
  /** The REST API of a running service; null measures without it. */
  rest: LaunchClient | null;
}

export interface LaunchRow {
  name: string;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** p50 over that of the bare spawn. */
  ratio: number;
  samples: number[];
}

/**
 * Measures a bare spawn until its first page answers `Runtime.evaluate` over the pipe, our launch called directly, and, when
 * given, over REST. The kinds take turns, so that a busy moment of the machine meets all of them.
 */
export async function measureLaunches(input: LaunchSuiteInput): Promise<LaunchRow[]> {
  const clients: [name: string, client: LaunchClient][] = [
    ["bare spawn until its page answers", bareClient(input.chromiumPath)],
    ["launch, called directly", directClient(input.chromiumPath)],
  ];
  if (input.rest !== null) clients.push(["launch over REST", input.rest]);

  const bench = new Bench({ iterations: 1, time: 0, warmup: false, retainSamples: true });
  const samples = new Map<string, number[]>(clients.map(([name]) => [name, []]));
  for (const [name, client] of clients) {
    // An async function: tinybench calls any other once more, to see whether it answers a promise.
    bench.add(name, async () => client.launch(), {
      async: true, // Found out by itself, it would launch one more and leave it.
      afterEach: () => client.stop(),
    });
  }
  for (let round = -1; round < input.rounds; round++) {
    await bench.run();
    for (const task of bench.tasks) {
      const result = task.result;
      if (result.state !== "completed")
        throw new Error(`${task.name}: ${String(Reflect.get(result, "error") ?? result.state)}`);
      // The first round fills the page cache and is not counted.
      if (round >= 0) samples.get(task.name)?.push(result.latency.mean);
    }
    bench.reset();
  }
  const bare = quantile(samples.get(clients[0]?.[0] ?? "") ?? [], 0.5);
  return [...samples].map(([name, taken]) => {
    const p50 = quantile(taken, 0.5);
    return { name, p50, p99: quantile(taken, 0.99), ratio: p50 / bare, samples: taken };
  });
}

/** The table of a result, for people. */
export function launchTable(rows: LaunchRow[]): string {
  const line = (cells: string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(36) : cell.padStart(9))).join("");
  return [
    line(["", "p50 ms", "p99 ms", "ratio"]),
    ...rows.map((row) => line([row.name, row.p50.toFixed(1), row.p99.toFixed(1), row.ratio.toFixed(3)])),
  ].join("\n");
}

function quantile(samples: number[], at: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}

/** The least that can be written: no lock, no undo, no tabs; a new directory each time. */
function bareClient(chromiumPath: string): LaunchClient {
  let end = async (): Promise<void> => {};
  return {
    async launch() {
      const dir = await mkdtemp(join(tmpdir(), "troupe-bench-bare-"));
      const switches = switchesOf({ userDataDir: dir, headless: true, asRoot: process.getuid?.() === 0 });
      const child = spawn(chromiumPath, switches, {
        detached: true,
        stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      });
      const output = child.stdio[3] as Writable; // Pipes, as asked for above.
      const input = child.stdio[4] as Readable;
      const send = (message: object) => output.write(`${JSON.stringify(message)}\0`);
      const gone = new Promise((resolve) => child.once("exit", resolve));
      end = async () => {
        send({ id: 3, method: "Browser.close" });
        await gone;
        await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
      };
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
    },
    stop: () => end(),
  };
}

function directClient(chromiumPath: string): LaunchClient {
  let end = async (): Promise<void> => {};
  return {
    async launch() {
      const dir = await mkdtemp(join(tmpdir(), "troupe-bench-direct-"));
      const browser = await openBrowser({
        spec: {
          profileId: "00000000-0000-4000-8000-000000000000",
          name: "bench",
          os: "linux",
          timezone: "UTC",
          userDataDir: join(dir, "user-data"),
          uploadsDir: join(dir, "uploads"),
        },
        options: { diagnostic: false, headless: true, idleTimeoutSecs: 0 },
        engine: { chromiumPath, tempDir: dir, hasDisplay: false, launchesAtOnce: 1 },
        onSpawned: () => {},
        signal: new AbortController().signal,
      });
      end = async () => {
        await browser.close();
        await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
      };
    },
    stop: () => end(),
  };
}
