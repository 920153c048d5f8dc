/** A whole fleet on this machine: a head and workers with data directories of their own, PostgreSQL, a store, and a site that counts. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openPostgres } from "../../actors/fleet/postgres.ts";
import { readStatus } from "../../actors/fleet/status.ts";
import { joinToken, placeInToken } from "../../gateway/fleet/member-file.ts";
import { logFileIn } from "../../gateway/instance.ts";
import type { FleetStatus } from "../../protocol/fleet.ts";
import { limits } from "../../protocol/limits.ts";
import type { Run, RunProfile } from "../../protocol/records.ts";
import { type Client, createClient } from "../gateway/client.ts";
import { processesNaming, type Served, serve, troupeIn } from "../gateway/serve.ts";
import { type CountingSite, startCountingSite } from "./counting-site.ts";
import { startPostgres, type TestPostgres } from "./postgres.ts";
import type { Wires } from "./wires.ts";

export const command = fileURLToPath(new URL("../../dist/troupe.js", import.meta.url));

export interface FleetWorker {
  name: string;
  dataDir: string;
  guard: ChildProcess;
  /** Of the service that the guard runs now; null while there is none. */
  servicePid(): number | null;
  browsers(): number[];
  /** A new guard after the end of the earlier one. `env`: beside this process's. */
  start(env?: NodeJS.ProcessEnv): void;
}

export interface Fleet {
  postgres: TestPostgres;
  site: CountingSite;
  client: Client;
  head: Served;
  workers: FleetWorker[];
  status(): Promise<FleetStatus>;
  /** Workers that have a profile whose part has ended, and have not released it yet. */
  keeping(): Promise<string[]>;
  createProfiles(count: number): Promise<string[]>;
  /** Saves and approves a script. */
  script(source: string): Promise<string>;
  batch(scriptId: string, profileIds: string[], more?: object): Promise<string>;
  run(id: string): Promise<{ run: Run; profiles: RunProfile[] }>;
  ended(id: string): Promise<{ run: Run; profiles: RunProfile[] }>;
  cli(...args: string[]): Promise<string>;
  /** The last lines of a worker's log with this text. */
  logged(name: string, text: string): string[];
  /** Kills the head and starts it again. */
  restartHead(): Promise<void>;
  close(): Promise<void>;
}

/** Not a measurement: several browsers at once on a busy machine. */
const patienceMs = 1_800_000;
const lookMs = 200;

/** As `until`, with patience for a fleet. A failing question is asked again, as while PostgreSQL is away. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  let last: unknown = null;
  const asked = async () => {
    try {
      return await holds();
    } catch (error) {
      last = error;
      return false;
    }
  };
  while (!(await asked())) {
    if (performance.now() - startedAt > patienceMs)
      throw new Error(`${what}: not within ${patienceMs} ms`, { cause: last });
    await new Promise((done) => setTimeout(done, lookMs));
  }
}

const keepingText = `
SELECT DISTINCT w.name FROM troupe_fleet.profile f JOIN troupe_fleet.worker w ON f.holder = w.session
WHERE NOT EXISTS (SELECT 1 FROM troupe_fleet.part p WHERE p.profile_id = f.profile_id AND p.session = f.holder AND p.state <> 'ended')`;

export interface FleetOptions {
  /** Default: without links, and a directory as the store. */
  wires?: Wires;
  /** Of each worker. */
  browsers?: number;
}

export async function startFleet(
  names: readonly string[],
  { wires, browsers = 2 }: FleetOptions = {},
): Promise<Fleet> {
  const room = await mkdtemp(join(tmpdir(), "troupe-fleet-"));
  const headDir = join(room, "head");
  const postgres = await startPostgres();
  const site = await startCountingSite();
  wires?.at(room, postgres.uri);
  const placeOf = async (machine: string) => ({
    postgres: (await wires?.postgres(machine)) ?? postgres.uri,
    archives: (await wires?.archives(machine)) ?? `dir:${join(room, "store")}`,
  });
  const env = { ...process.env, ...wires?.env };
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await troupeIn(env, "", ...args, "--data", headDir);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const place = await placeOf("head");
  await cli("fleet", "on", "--postgres", place.postgres, "--archives", place.archives);
  const token = placeInToken(await cli("fleet", "token"));
  let starts = 0;
  const startHead = async () => {
    starts += 1;
    const head = await serve(headDir, "--mint", `t${starts}`, "--rate-limit", "0");
    return { head, client: await createClient(head.apiUrl, head.token) };
  };
  let { head, client } = await startHead();
  const workers: FleetWorker[] = [];
  for (const name of names) {
    const own = joinToken({ ...token, ...(await placeOf(name)) });
    workers.push(startWorker(join(room, name), name, own, browsers));
  }
  const sql = await openPostgres(postgres.uri, 1);
  const status = (): Promise<FleetStatus> => readStatus(sql);
  await eventually(
    "all workers are in the fleet",
    async () => (await status()).workers.length === names.length,
  );
  const answered = (reply: { status: number; body: unknown }) => {
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return Object(reply.body); // The client has validated it against the OpenAPI document.
  };
  const run = async (id: string) => answered(await client.get(`/v1/runs/${id}/profiles?limit=1000`));
  return {
    postgres,
    site,
    workers,
    get client() {
      return client;
    },
    get head() {
      return head;
    },
    status,
    keeping: async () => (await sql.all(keepingText)).map(({ name }) => String(name)),
    async createProfiles(wanted) {
      const ids: string[] = [];
      while (ids.length < wanted) {
        const count = Math.min(wanted - ids.length, limits.profilesPerCreateMax);
        const { created } = answered(await client.post("/v1/profiles", { count }));
        ids.push(...created.map(({ profile_id }: { profile_id: string }) => profile_id));
      }
      return ids;
    },
    async script(source) {
      const { scriptId } = answered(await client.post("/v1/scripts", { name: "s", source }));
      await cli("scripts", "approve", scriptId);
      return scriptId;
    },
    async batch(script_id, profile_ids, more = {}) {
      const variables = { site: site.url };
      return answered(await client.post("/v1/scripts/batch", { script_id, profile_ids, variables, ...more }))
        .id;
    },
    run,
    async ended(id) {
      await eventually(`run ${id} has ended`, async () => (await run(id)).run.status !== "running");
      return run(id);
    },
    cli,
    logged: (name, text) =>
      readFileSync(logFileIn(join(room, name)), "utf8")
        .split("\n")
        .filter((line) => line.includes(text))
        .slice(-5),
    async restartHead() {
      await client.close();
      await head.end("SIGKILL");
      await eventually("the head has ended", () => processesNaming(headDir).length === 0);
      ({ head, client } = await startHead());
    },
    async close() {
      await client.close();
      await head.end("SIGTERM");
      await Promise.all(
        workers.map(async ({ guard }) => {
          if (guard.exitCode !== null || guard.signalCode !== null) return;
          guard.kill("SIGTERM");
          await once(guard, "exit");
        }),
      );
      await Promise.all([site.close(), sql.close()]);
      await postgres.close();
      assert.deepEqual(processesNaming(room), []);
      await rm(room, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

function startWorker(dataDir: string, name: string, token: string, browsers: number): FleetWorker {
  const begin = (env: NodeJS.ProcessEnv = {}) => {
    const most = ["--max-browsers", String(browsers)];
    const args = ["worker", "--join", token, "--name", name, "--data", dataDir, ...most];
    return spawn(process.execPath, [command, ...args], { stdio: "ignore", env: { ...process.env, ...env } });
  };
  const worker: FleetWorker = {
    name,
    dataDir,
    guard: begin(),
    servicePid() {
      const children = `/proc/${worker.guard.pid}/task/${worker.guard.pid}/children`;
      const [pid] = readFileSync(children, "utf8").trim().split(" ");
      return pid === undefined || pid === "" ? null : Number(pid);
    },
    browsers: () => processesNaming(`--user-data-dir=${join(dataDir, "fleet", "profiles")}`),
    start(env) {
      worker.guard = begin(env);
    },
  };
  return worker;
}
