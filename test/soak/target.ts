/** The service under load: one process after another on the same data directory, and a client of the one that runs. */
import { callTroupe } from "../../bench/demo/troupe.ts";
import { type Client, createClient, type Reply } from "../gateway/client.ts";
import { type Served, serve } from "../gateway/serve.ts";
import type { Ledger } from "./ledger.ts";

export interface Target {
  dataDir: string;
  pid(): number;
  /** Settles when a service is running. */
  up(): Promise<void>;
  get<Body>(path: string): Promise<Body>;
  /** `key`: an Idempotency-Key, with which a call that had no answer can be made again. */
  post<Body>(path: string, body?: object, key?: string): Promise<Body>;
  /** Milliseconds that one cheap call takes. */
  ping(): Promise<number>;
  approve(scriptId: string): Promise<void>;
  /** Ends the process and starts the next; gives the exit code of the first. */
  restart(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
  /** No connection is open until the next call: the service counts them among what it holds. */
  disconnect(): Promise<void>;
  /** Ends the last process; gives its exit code. */
  end(): Promise<number | null>;
  /** What all processes have logged so far. */
  log(): string[];
}

interface Running {
  served: Served;
  /** Of all calls, until `disconnect`; null: none has been made since. */
  client: Promise<Client> | null;
  leaving: boolean;
}

const flags = ["--rate-limit", "0", "--max-browsers", "12"];

export async function openTarget(dataDir: string, ledger: Ledger): Promise<Target> {
  const logs: string[] = [];
  let starts = 0;
  const start = async (): Promise<Running> => {
    starts += 1;
    const served = await serve(dataDir, "--mint", `soak-${starts}`, ...flags);
    const running: Running = { served, client: null, leaving: false };
    void served.ended.then(({ code, stderr }) => {
      logs.push(...linesOf(stderr));
      if (running.leaving) return;
      ledger.wrong(`the service ended by itself with ${code}`);
    });
    return running;
  };
  let current = await start();
  /** Settles with the one that runs now, or next. */
  let running = Promise.resolve(current);
  const leave = async (signal: NodeJS.Signals) => {
    current.leaving = true;
    const { code } = await current.served.end(signal);
    await disconnect().catch(() => {}); // Calls under way have failed with their process.
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
    // One that could not be made, as the service was ended meanwhile, is made again for the next call.
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
    disconnect,
    end: () => leave("SIGTERM"),
    log: () => [...logs, ...(current.leaving ? [] : linesOf(current.served.stderr()))],
  };
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

/** The body of a success, which the client has held against the OpenAPI document. */
function answered<Body>(call: string, { status, body }: Reply): Body {
  if (status >= 300) throw new Error(`${call}: ${status} ${JSON.stringify(body)}`);
  return body as Body;
}
