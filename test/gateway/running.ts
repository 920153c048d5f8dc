/** Starts a complete service for tests: real threads and storage, a temporary data directory, ports chosen by the system. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Service, type ServiceOptions, startService } from "../../gateway/startup.ts";
import { type Client, createClient } from "./client.ts";
import { until } from "./serve.ts";

export interface TestService {
  service: Service;
  client: Client;
  token: string;
  dataDir: string;
  log: string[];
  stop(): Promise<void>;
}

/** Starts a service with the API on, a write token, and by default no budget. */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "troupe-test-")));
  const log: string[] = [];
  const service = await startService(
    {
      apiOn: true,
      port: 0,
      browsersMax: null,
      expensiveCallsMax: 0,
      mint: "test",
      ...options,
      dataDir,
    },
    (line) => void log.push(line),
  );
  const { apiUrl, token } = service;
  if (apiUrl === null || token === null) throw new Error("the service started without its API or its token");
  const client = await createClient(apiUrl, token).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  return {
    service,
    client,
    token,
    dataDir,
    log,
    async stop() {
      await client.close();
      await service.stop();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface RestartedService extends TestService {
  /** Stops it and starts it again on the same data and port; the tokens of its earlier lives are known. `between`: while it is stopped. */
  restart(between?: () => unknown): Promise<void>;
}

/** A service that can be restarted: read its fields anew after that. */
export async function startRestartable(options: Partial<ServiceOptions> = {}): Promise<RestartedService> {
  const dataDir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  let lives = 0;
  const start = (port: number) => startTestService({ ...options, dataDir, port, mint: `life ${++lives}` });
  const running = (await start(0)) as RestartedService;
  let stop = running.stop;
  running.restart = async (between) => {
    await stop();
    await between?.();
    const next = await start(Number(new URL(running.service.apiUrl ?? "").port));
    stop = next.stop;
    const { service, client, token, log } = next;
    Object.assign(running, { service, client, token, log });
  };
  running.stop = async () => {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return running;
}

export async function createProfiles(client: Client, count: number): Promise<string[]> {
  const { status, body } = await client.post("/v1/profiles", { count });
  if (status !== 200) throw new Error(`profiles were not created: ${JSON.stringify(body)}`);
  return (body as { created: { profile_id: string }[] }).created.map((profile) => profile.profile_id);
}

/** Names and bytes of all files under a data directory. Reads again when a file was renamed meanwhile. */
export async function filesOf(dataDir: string): Promise<{ name: string; bytes: Buffer }[]> {
  let files: { name: string; bytes: Buffer }[] = [];
  await until("all listed files are read", () => {
    try {
      const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
      files = entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
      throw error;
    }
  });
  return files;
}
