/** Runs a batch while its service is killed repeatedly at random moments, and checks the run afterwards. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Run, RunProfile } from "../../protocol/records.ts";
import type { SaveScriptReply } from "../../protocol/requests.ts";
import type { RunProfilesReply } from "../../protocol/run-requests.ts";
import { wrongBooks } from "./run-books.ts";

export interface Killable {
  post<Reply>(path: string, body?: object): Promise<Reply>;
  get<Reply>(path: string): Promise<Reply>;
  createProfiles(count: number): Promise<string[]>;
  approve(scriptId: string): Promise<void>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
}

export interface KilledBatchOptions {
  profiles: number;
  concurrency: number;
  kills: number;
  start(): Promise<Killable>;
}

export interface KilledBatch {
  run: Run;
  parts: RunProfile[];
  /** The number of ended parts at each kill. */
  killedAt: number[];
  /** Errors in the run's counts; empty if every profile is counted exactly once. */
  findings: string[];
  service: Killable;
}

const pollMs = 20;
/** The approximate duration of one part, within which a kill comes at random. */
const stepMs = 700;

const source = `export default async function run({ page, variables, profile }) {
  await page.goto(\`\${variables.site}/?profile=\${profile.id}\`);
  return profile.id;
}`;

/** Runs one batch to its end through all kills. Its script visits a local site that counts visits. */
export async function killedBatch(options: KilledBatchOptions): Promise<KilledBatch> {
  const site = await openCounter();
  let service = await options.start();
  try {
    const ids = await service.createProfiles(options.profiles);
    const { scriptId } = await service.post<SaveScriptReply>("/v1/scripts", { name: "visit", source });
    await service.approve(scriptId);
    const { id } = await service.post<Run>("/v1/scripts/batch", {
      script_id: scriptId,
      profile_ids: ids,
      concurrency: options.concurrency,
      variables: { site: site.url },
    });
    const killedAt: number[] = [];
    for (let kill = 0; kill < options.kills; kill += 1) {
      const wanted = Math.floor(((kill + Math.random()) / options.kills) * (options.profiles - 1));
      await ended(service, id, wanted);
      await new Promise<void>((resolve) => setTimeout(resolve, Math.random() * stepMs));
      killedAt.push(await countEnded(service, id));
      await service.kill();
      service = await options.start();
    }
    await ended(service, id, options.profiles);
    const run = await whenFinal(service, id);
    const { profiles: parts } = await service.get<RunProfilesReply>(`/v1/runs/${id}/profiles?limit=1000`);
    const most = options.kills * options.concurrency;
    return { run, parts, killedAt, findings: findingsOf(run, parts, ids, site.visits, most), service };
  } catch (error) {
    await service.kill();
    throw error;
  } finally {
    site.close();
  }
}

function findingsOf(
  run: Run,
  parts: RunProfile[],
  ids: string[],
  visits: ReadonlyMap<string, number>,
  interruptedMax: number,
): string[] {
  const of = (status: RunProfile["status"]) => parts.filter((part) => part.status === status);
  const completed = of("completed");
  const failed = of("failed");
  const findings = wrongBooks(run, parts, ids);
  const hold = (holds: boolean, finding: string) => void (holds || findings.push(finding));
  hold(of("skipped").length === 0, "a part was skipped");
  hold(failed.length <= interruptedMax, `${failed.length} parts failed, more than were in flight`);
  for (const { profileId, error } of failed)
    hold(error === "interrupted", `${profileId} failed with ${error}, not interrupted`);
  for (const { profileId, result } of completed) {
    hold(visits.get(profileId) === 1, `${profileId} completed after ${visits.get(profileId)} visits`);
    hold(result === profileId, `${profileId} has another's result`);
  }
  for (const { profileId } of failed)
    hold((visits.get(profileId) ?? 0) <= 1, `${profileId} was interrupted and driven again`);
  return findings;
}

async function openCounter() {
  const visits = new Map<string, number>();
  const server = createServer((request, response) => {
    const profile = new URL(request.url ?? "/", "http://site").searchParams.get("profile");
    if (profile !== null) visits.set(profile, (visits.get(profile) ?? 0) + 1);
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Counted</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // TCP servers have no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    visits,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function countEnded(service: Killable, runId: string): Promise<number> {
  const run = await service.get<Run>(`/v1/runs/${runId}`);
  return run.profilesDone + run.profilesFailed;
}

async function ended(service: Killable, runId: string, parts: number): Promise<void> {
  while ((await countEnded(service, runId)) < parts)
    await new Promise<void>((resolve) => setTimeout(resolve, pollMs));
}

async function whenFinal(service: Killable, runId: string): Promise<Run> {
  for (;;) {
    const run = await service.get<Run>(`/v1/runs/${runId}`);
    if (run.status !== "running") return run;
    await new Promise<void>((resolve) => setTimeout(resolve, pollMs));
  }
}
