/** Starts the built service in its own process on a temporary data directory, with an API client. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import type { CreateProfilesReply } from "../protocol/requests.ts";
import { endsWithBench } from "./run/ending.ts";

/** The suites' API calls. Keeps connections. Throws on any failure status. */
export interface Rest {
  post<Reply>(path: string, body?: object): Promise<Reply>;
  get<Reply>(path: string): Promise<Reply>;
  /** A reply that is no JSON. */
  bytes(path: string): Promise<Buffer>;
  createProfiles(count: number): Promise<string[]>;
  /** Headless, without idle timeout. */
  launch(profileId: string): Promise<{ cdpUrl: string; pid: number }>;
  stop(profileId: string): Promise<void>;
  close(): Promise<void>;
}

export interface Served {
  pid: number;
  dataDir: string;
  rest: Rest;
  /** Waits until the service has prepared its next launch, which would disturb other measurements. */
  atRest(): Promise<void>;
  apiUrl: string;
  token: string;
}

const createCallMax = 50;

export interface Started {
  served: Served;
  readyMs: number;
  /** Stops cleanly unless `signal` says otherwise. Keeps the data directory. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a service with a new token. No limit on expensive calls by default. `command` is the built command line. */
export async function startServed(
  dataDir: string,
  {
    rateLimit = 0,
    command = fileURLToPath(new URL("./troupe.js", import.meta.url)),
  }: { rateLimit?: number; command?: string } = {},
): Promise<Started> {
  const began = performance.now();
  const mint = ["--mint", `bench ${Date.now()}`];
  const flags = ["--json", "--api", "on", "--port", "0", "--rate-limit", String(rateLimit), ...mint];
  const child = spawn(process.execPath, [command, "serve", "--data", dataDir, ...flags], {
    detached: true, // Ctrl-C reaches only the bench, which then ends the service.
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TROUPE_LOG: "error" },
  });
  const closed = once(child, "close");
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await closed;
  };
  const stopped = endsWithBench(() => stop("SIGINT"));
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    closed.then(() => Promise.reject(new Error("the service did not start"))),
  ]);
  const readyMs = performance.now() - began;
  const { apiUrl, token, pid }: { apiUrl: string; token: string; pid: number } = JSON.parse(line);
  const rest = connectRest(apiUrl, token);
  return {
    served: { pid, dataDir, rest, atRest: () => processAtRest(pid), apiUrl, token },
    readyMs,
    async end(signal = "SIGINT") {
      await rest.close();
      await stop(signal);
      stopped();
    },
  };
}

/** The service prepares its next launch a second after the last one, and is quiet before that. */
const restMs = 1_300;
const restMsMax = 15_000;
const lookMs = 100;
/** Maximum processor time at rest, in Linux ticks of 10 ms. */
const restTicks = 2;

async function processAtRest(pid: number): Promise<void> {
  const looks: number[] = [];
  const until = performance.now() + restMsMax;
  for (;;) {
    looks.push(await ticksOf(pid));
    const before = looks.at(-1 - restMs / lookMs);
    if (before !== undefined && (looks.at(-1) ?? 0) - before <= restTicks) return;
    if (performance.now() > until) throw new Error("the service does not become idle");
    await new Promise<void>((resolve) => setTimeout(resolve, lookMs));
  }
}

/** 0 without /proc; then only `restMs` applies. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return user + system;
}

export async function withDataDir<Result>(work: (dataDir: string) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), "troupe-bench-"));
  const remove = () => rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  const removed = endsWithBench(remove);
  try {
    return await work(dataDir);
  } finally {
    await remove();
    removed();
  }
}

export async function withServed<Result>(measure: (served: Served) => Promise<Result>): Promise<Result> {
  return withDataDir(async (dataDir) => {
    const { served, end } = await startServed(dataDir);
    try {
      return await measure(served);
    } finally {
      await end();
    }
  });
}

function connectRest(apiUrl: string, token: string): Rest {
  const dispatcher = new Agent({ keepAliveTimeout: 60_000 });
  // Replies are trusted to match the API's types.
  const bytes = async (method: "GET" | "POST", path: string, body?: object) => {
    const reply = await request(`${apiUrl}${path}`, {
      method,
      dispatcher,
      headersTimeout: 120_000,
      headers: { authorization: `Bearer ${token}` },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const read = Buffer.from(await reply.body.arrayBuffer());
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${read}`);
    return read;
  };
  const call = async (method: "GET" | "POST", path: string, body?: object) => {
    const text = (await bytes(method, path, body)).toString();
    return text === "" ? null : JSON.parse(text);
  };
  return {
    post: (path, body) => call("POST", path, body),
    get: (path) => call("GET", path),
    bytes: (path) => bytes("GET", path),
    async createProfiles(count) {
      const ids: string[] = [];
      while (ids.length < count) {
        const some = Math.min(createCallMax, count - ids.length);
        const { created }: CreateProfilesReply = await call("POST", "/v1/profiles", { count: some });
        ids.push(...created.map((profile) => profile.profile_id));
      }
      return ids;
    },
    launch: (id) => call("POST", `/v1/profiles/${id}/launch`, { headless: true, idle_timeout_secs: 0 }),
    stop: (id) => call("POST", `/v1/profiles/${id}/stop`),
    close: () => dispatcher.close(),
  };
}
