/** The service under load: successive processes on one data directory, with a client of the current one. */
import { callTroupe } from "../../bench/demo/troupe.ts";
import { type Client, createClient, type Reply } from "../gateway/client.ts";
import { type Served, serveIn } from "../gateway/serve.ts";
import { collectGarbage, inspectable } from "./collect.ts";
import type { Ledger } from "./ledger.ts";

export interface Target {
  dataDir: string;
  pid(): number;
  up(): Promise<void>;
  get<Body>(path: string): Promise<Body>;
  /** `key`: an Idempotency-Key, with which a call without reply can be repeated. */
  post<Body>(path: string, body?: object, key?: string): Promise<Body>;
  ping(): Promise<number>;
  approve(scriptId: string): Promise<void>;
  restart(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
  collectGarbage(): Promise<void>;
  /** Closes all connections until the next call, because the service's resources include them. */
  disconnect(): Promise<void>;
  end(): Promise<number | null>;
  log(): string[];
}

interface Running {
  served: Served;
  client: Promise<Client> | null;
  leaving: boolean;
}

const flags = ["--rate-limit", "0", "--max-browsers", "12"];

export async function openTarget(dataDir: string, ledger: Ledger): Promise<Target> {
  const logs: string[] = [];
  let starts = 0;
  const start = async (): Promise<Running> => {
    starts += 1;
    const env = { ...process.env, ...inspectable };
    const served = await serveIn(env, dataDir, ["--mint", `soak-${starts}`, ...flags]);
    const running: Running = { served, client: null, leaving: false };
    void served.ended.then(({ code, stderr }) => {
      logs.push(...linesOf(stderr));
      if (running.leaving) return;
      ledger.wrong(`the service exited by itself with ${code}`);
    });
    return running;
  };
  let current = await start();
  let running = Promise.resolve(current);
  const leave = async (signal: NodeJS.Signals) => {
    current.leaving = true;
    const { code } = await current.served.end(signal);
    await disconnect().catch(() => {}); // Pending calls failed with their process.
    return code;
  };
  const disconnect = async () => {
    const client = await current.client;
    current.client = null;
    await client?.close();
  };
  const client = async () => {
    const now = await running;
    now.client ??= createClient(now.served.apiUrl, now.served.token);
    // After a failed connection, for example during a restart, the next call connects again.
    now.client.catch(() => {
      now.client = null;
    });
    return now.client;
  };
  return {
    dataDir,
    pid: () => current.served.pid,
    up: async () => void (await running),
    get: async (path) => answered(`GET ${path}`, await (await client()).get(path)),
    post: async (path, body, key) => {
      const headers = key === undefined ? {} : { "idempotency-key": key };
      return answered(`POST ${path}`, await (await client()).post(path, body, { headers }));
    },
    async ping() {
      const api = await client();
      const from = performance.now();
      answered("GET /v1/capacity", await api.get("/v1/capacity"));
      return performance.now() - from;
    },
    approve: (scriptId) => callTroupe(dataDir, "script", "approve", scriptId),
    async restart(signal) {
      const ended = leave(signal);
      running = ended.then(start);
      current = await running;
      return ended;
    },
    collectGarbage: () => collectGarbage(current.served.stderr()),
    disconnect,
    end: () => leave("SIGTERM"),
    log: () => [...logs, ...(current.leaving ? [] : linesOf(current.served.stderr()))],
  };
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

function answered<Body>(call: string, { status, body }: Reply): Body {
  if (status >= 300) throw new Error(`${call}: ${status} ${JSON.stringify(body)}`);
  return body as Body;
}
