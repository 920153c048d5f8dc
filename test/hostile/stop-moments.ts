/** Stops a service at various moments of runs and launches, and checks what remains. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { type Beginning, beginServe, troupe, until } from "../gateway/serve.ts";

interface Run {
  id: string;
  status: string;
  error: string | null;
  profileIds: string[];
  profilesDone: number;
  profilesFailed: number;
}
interface Part {
  status: string;
  error: string | null;
}

interface Service extends Beginning {
  client: Client;
}

interface Scene {
  dataDir: string;
  service: Service;
  runId: string;
  running: () => Promise<Part[]>;
}

type Signals = readonly NodeJS.Signals[];

export interface Moment {
  name: string;
  /** Resolves at the moment. Null: before the service is ready, `startMs` after its start. */
  reached: ((scene: Scene) => Promise<unknown>) | null;
  startMs?: number;
  /** Sent in order, `apartMs` apart. */
  signals: Signals;
  apartMs?: number;
}

const profiles = 6;
const concurrency = 3;
/** About as long as a launch, so that most moments have both. */
const source = "export default async function run({ sleep }) { await sleep(400); }";

const statuses = async ({ client }: Service, runId: string): Promise<{ run: Run; profiles: Part[] }> => {
  const reply = await client.get(`/v1/runs/${runId}/profiles`);
  return reply.body as { run: Run; profiles: Part[] };
};

const read = (file: string) => {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // It exited meanwhile.
  }
};

/** Command lines of the service's processes, which name the directory or have the mark. Zombies have none. */
function processes(dataDir: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ line: read(`/proc/${pid}/cmdline`), env: read(`/proc/${pid}/environ`) }))
    .filter(({ line, env }) => line !== "" && (line.includes(dataDir) || env.includes(`${mark}=${dataDir}`)))
    .map(({ line }) => line.replaceAll("\0", " "));
}
const mark = "TROUPE_STOP_TEST";

const browsers = (dataDir: string) =>
  processes(dataDir).filter((line) => line.includes("--user-data-dir=") && !line.includes("--type="));

/** Reached when this many browsers run, the last of them just started. */
export const browsersStarting = (count: number) => (scene: Scene) =>
  until(`${count} browsers start`, () => browsers(scene.dataDir).length >= count, 2);
export const partsRunning = (count: number) => (scene: Scene) =>
  until(`${count} scripts run`, async () => {
    const parts = await scene.running();
    return parts.filter(({ status }) => status === "running").length >= count;
  });
export const partsEnded = (count: number) => (scene: Scene) =>
  until(`${count} parts have ended`, async () => {
    const parts = await scene.running();
    return parts.filter(({ status }) => status !== "running" && status !== "waiting").length >= count;
  });
export const runStarted = async () => {};
export const later = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));
export const callsInHand = async ({ service, dataDir }: Scene) => {
  const ids = await createProfiles(service.client, 2);
  // The stop may abort or refuse them.
  for (const id of ids) service.client.post(`/v1/profiles/${id}/launch`, { headless: true }).catch(() => {});
  await browsersStarting(1)({ service, dataDir, runId: "", running: async () => [] });
};

let minted = 0;
/** Ended in any case, because a failed test leaves its service running. */
const begun: Beginning[] = [];

export async function endServices(): Promise<void> {
  for (const { child } of begun) child.kill("SIGKILL");
  await Promise.all(begun.map(({ ended }) => ended));
}

function begin(dataDir: string): Beginning {
  minted += 1;
  const env = { ...process.env, [mark]: dataDir };
  const beginning = beginServe(dataDir, ["--mint", `t${minted}`, "--rate-limit", "0"], env);
  begun.push(beginning);
  return beginning;
}

async function readied(beginning: Beginning): Promise<Service> {
  const { apiUrl, token } = await beginning.ready;
  return { ...beginning, client: await createClient(apiUrl, token ?? "") };
}

async function startRun(service: Service, dataDir: string): Promise<string> {
  const saved = await service.client.post("/v1/scripts", { name: "s", source });
  const { scriptId } = saved.body as { scriptId: string };
  const approved = await troupe("script", "approve", scriptId, "--data", dataDir);
  assert.equal(approved.code, 0, approved.stderr);
  const ids = await createProfiles(service.client, profiles);
  const body = { script_id: scriptId, profile_ids: ids, concurrency };
  const started = await service.client.post("/v1/scripts/batch", body);
  assert.equal(started.status, 200, JSON.stringify(started.body));
  return (started.body as Run).id;
}

async function stop({ child, ended }: Beginning, moment: Moment, dataDir: string): Promise<void> {
  for (const [index, signal] of moment.signals.entries()) {
    if (index > 0) await Promise.race([ended, later(moment.apartMs ?? 0)()]);
    child.kill(signal);
  }
  const { code, stderr } = await ended;
  const left = processes(dataDir);
  assert.deepEqual({ code, left }, { code: 0, left: [] }, `${moment.name}: ${stderr}`);
}

function assertEnded(name: string, { run, profiles: parts }: { run: Run; profiles: Part[] }): void {
  const count = (status: string) => parts.filter((part) => part.status === status).length;
  const [completed, failed, skipped] = [count("completed"), count("failed"), count("skipped")];
  const books = JSON.stringify({ moment: name, run, parts });
  assert.equal(completed + failed + skipped, profiles, books);
  assert.deepEqual([run.profilesDone, run.profilesFailed], [completed, failed], books);
  const all = completed === profiles;
  assert.equal(run.status, all ? "completed" : completed > 0 ? "partial" : "failed", books);
  if (!all) assert.equal(run.error, "the service was stopped", books);
}

export async function stopAtMoments(dataDir: string, moments: readonly Moment[]): Promise<void> {
  let before: { name: string; runId: string } | null = null;
  const isOpen = () => existsSync(join(dataDir, "lock"));
  for (const moment of moments) {
    const beginning = begin(dataDir);
    if (moment.reached === null) {
      await until("the service opens its data", isOpen, 1);
      await later(moment.startMs ?? 0)();
      await stop(beginning, moment, dataDir);
      continue;
    }
    const service = await readied(beginning);
    if (before !== null) assertEnded(before.name, await statuses(service, before.runId));
    const runId = await startRun(service, dataDir);
    const running = async () => (await statuses(service, runId)).profiles;
    await moment.reached({ dataDir, service, runId, running });
    await stop(service, moment, dataDir);
    await service.client.close();
    before = { name: moment.name, runId };
  }
  const last = await readied(begin(dataDir));
  if (before !== null) assertEnded(before.name, await statuses(last, before.runId));
  await last.client.close();
  await stop(last, { name: "at rest", reached: null, signals: ["SIGTERM"] }, dataDir);
}
