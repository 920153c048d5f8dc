/** A service to measure: the built command in a process of its own on a temporary data directory, and a client of its API. */
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

/** The calls of the API that suites make. Connections are kept. Every call throws unless it is answered with success. */
export interface Rest {
  post<Reply>(path: string, body?: object): Promise<Reply>;
  get<Reply>(path: string): Promise<Reply>;
  /** Ids of new profiles. */
  createProfiles(count: number): Promise<string[]>;
  /** Without a window, never idle. */
  launch(profileId: string): Promise<{ cdpUrl: string; pid: number }>;
  stop(profileId: string): Promise<void>;
  close(): Promise<void>;
}

export interface Served {
  pid: number;
  dataDir: string;
  rest: Rest;
  /** Waits until the service has done what it does ahead of the next launch: others are not to be measured beside it. */
  atRest(): Promise<void>;
  /** For clients of another kind. */
  apiUrl: string;
  token: string;
}

/** Most that one create call makes. */
const createCallMax = 50;

/** A service that runs until it is ended. */
export interface Started {
  served: Served;
  /** Milliseconds from the spawn to the line that says it is ready. */
  readyMs: number;
  /** A clean stop, unless `signal` is another; the data directory stays. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a service on a data directory, with a token of a name that is new to it; expensive calls are not counted unless asked for. */
export async function startServed(dataDir: string, rateLimit = 0): Promise<Started> {
  const began = performance.now();
  const command = fileURLToPath(new URL("./troupe.js", import.meta.url)); // Beside the bundle of the benches.
  const mint = ["--mint", `bench ${Date.now()}`];
  const flags = ["--json", "--api", "on", "--port", "0", "--rate-limit", String(rateLimit), ...mint];
  const child = spawn(process.execPath, [command, "serve", "--data", dataDir, ...flags], {
    detached: true, // A Ctrl-C at the terminal reaches the bench alone, which then ends it once.
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

/** It begins a second after a launch; until then the process is as quiet as when it has done it. */
const restMs = 1_300;
const restMsMax = 15_000;
const lookMs = 100;
/** Of processor time in so long, in Linux's ticks of 10 ms. */
const restTicks = 2;

async function processAtRest(pid: number): Promise<void> {
  const looks: number[] = [];
  const until = performance.now() + restMsMax;
  for (;;) {
    looks.push(await ticksOf(pid));
    const before = looks.at(-1 - restMs / lookMs);
    if (before !== undefined && (looks.at(-1) ?? 0) - before <= restTicks) return;
    if (performance.now() > until) throw new Error("the service does not come to rest");
    await new Promise<void>((resolve) => setTimeout(resolve, lookMs));
  }
}

/** 0 where there is no /proc: then `restMs` is what is waited. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return user + system;
}

/** Gives `work` a directory, and removes it, whatever comes. */
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

/** Starts a service for `measure`, and ends it and removes its directory, whatever comes. */
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
  // The replies are typed as the API documents them; a bench trusts its own service.
  const call = async (method: "GET" | "POST", path: string, body?: object) => {
    const reply = await request(`${apiUrl}${path}`, {
      method,
      dispatcher,
      headersTimeout: 120_000,
      headers: { authorization: `Bearer ${token}` },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  return {
    post: (path, body) => call("POST", path, body),
    get: (path) => call("GET", path),
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
