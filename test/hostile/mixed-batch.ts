/** A batch on profiles of which a third throw, and some hang, lose their page's process, or leave a dialog open. */
import assert from "node:assert/strict";
import { WebSocket } from "ws";
import { type Client, createClient } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { processesNaming, type Served, serve, troupe, until } from "../gateway/serve.ts";

export interface Part {
  profileId: string;
  status: string;
  error: string | null;
}
export interface Batch {
  run: { id: string; status: string; profilesDone: number; profilesFailed: number };
  /** In the order of the profiles. */
  profiles: Part[];
}

/** What each of twelve profiles in a row does. */
export const acts = [
  "throw",
  "work",
  "dialog",
  "throw",
  "crash",
  "work",
  "throw",
  "hang",
  "work",
  "throw",
  "work",
  "leave",
] as const;
export const actOf = (index: number) => acts[index % acts.length] ?? "work";

const source = `export default async function run({ page, profile, sleep }) {
  const acts = ${JSON.stringify(acts)};
  const act = acts[(Number(profile.name.replace(/\\D/g, "")) - 1) % acts.length];
  await page.evaluate("document.title = 'here'");
  if (act === "throw") throw new Error("it throws");
  if (act === "hang") await page.evaluate("new Promise(() => {})");
  if (act === "crash") for (;;) await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
  if (act === "dialog") await page.evaluate("void setTimeout(() => alert('open'), 0)");
  if (act === "leave") await page.evaluate("void (onbeforeunload = (event) => event.preventDefault())");
  await sleep(20);
  return act;
}`;

let running: Served | null = null;

/** Ends what a failure has left. */
export async function endService(): Promise<void> {
  await running?.end("SIGKILL");
}

/** A service with so many profiles and an approved script. */
async function prepared(dataDir: string, count: number, timeoutMs: number) {
  const served = await serve(dataDir, "--mint", "t", "--rate-limit", "0");
  const client = await createClient(served.apiUrl, served.token);
  const saved = await client.post("/v1/scripts", { name: "mixed", source });
  const { scriptId } = saved.body as { scriptId: string };
  for (const args of [
    ["script", "approve", scriptId],
    ["settings", `runProfileTimeoutMs=${timeoutMs}`],
  ]) {
    const { code, stderr } = await troupe(...args, "--data", dataDir);
    assert.equal(code, 0, stderr);
  }
  const ids: string[] = [];
  while (ids.length < count) ids.push(...(await createProfiles(client, Math.min(50, count - ids.length))));
  return { served, client, scriptId, ids };
}

async function runningProfiles(client: Client): Promise<{ id: string; cdpUrl?: string }[]> {
  return (await client.get("/v1/profiles")).body as { id: string; cdpUrl?: string }[];
}

/** Ends the page's process of each profile that is to lose it, once its script runs. */
async function crashPages(client: Client, batch: Batch, crashed: Set<string>): Promise<void> {
  for (const [index, { profileId, status }] of batch.profiles.entries()) {
    if (actOf(index) !== "crash" || status !== "running" || crashed.has(profileId)) continue;
    const cdpUrl = (await runningProfiles(client)).find(({ id }) => id === profileId)?.cdpUrl;
    if (cdpUrl === undefined) continue;
    const list = await fetch(`${cdpUrl}/json/list`).then((reply) => reply.json());
    const page = (list as { type: string; title: string; webSocketDebuggerUrl: string }[]).find(
      ({ type, title }) => type === "page" && title === "here",
    );
    if (page === undefined) continue;
    crashed.add(profileId);
    const socket = new WebSocket(page.webSocketDebuggerUrl);
    socket.on("error", () => {}); // The browser may be on its way out.
    socket.on("open", () => socket.send(JSON.stringify({ id: 1, method: "Page.crash" })));
    setTimeout(() => socket.terminate(), 2_000).unref();
  }
}

/** Runs the batch to its end, stops the service, and answers what became of it and how many pages were ended. */
export async function mixedBatch(
  dataDir: string,
  count: number,
  given: { concurrency: number; timeoutMs: number; waitMs: number },
): Promise<{ batch: Batch; crashed: number }> {
  const { served, client, scriptId, ids } = await prepared(dataDir, count, given.timeoutMs);
  running = served;
  const { max } = (await client.get("/v1/capacity")).body as { max: number };
  const concurrency = Math.min(given.concurrency, max);
  const body = { script_id: scriptId, profile_ids: ids, concurrency };
  const started = await client.post("/v1/scripts/batch", body);
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const { id } = started.body as { id: string };
  const read = async () => (await client.get(`/v1/runs/${id}/profiles?limit=${count}`)).body as Batch;
  const crashed = new Set<string>();
  let batch = await read();
  await until("the batch has ended", given.waitMs, async () => {
    batch = await read();
    await crashPages(client, batch, crashed).catch(() => {}); // Its browser has ended meanwhile.
    return batch.run.status !== "running";
  });
  await ended(served, client, dataDir);
  return { batch, crashed: crashed.size };
}

async function ended(served: Served, client: Client, dataDir: string): Promise<void> {
  await client.close();
  const { code } = await served.end("SIGTERM");
  assert.deepEqual([code, processesNaming(dataDir)], [0, []]);
}

/** Each profile is accounted for, once, and with its own reason. */
export function assertAccounted({ run, profiles }: Batch, count: number): void {
  const of = (status: string) => profiles.filter((part) => part.status === status).length;
  assert.deepEqual(
    [profiles.length, of("completed") + of("failed"), run.profilesDone, run.profilesFailed, run.status],
    [count, count, of("completed"), of("failed"), "partial"],
  );
  const fails: Record<string, RegExp> = { throw: /it throws/, hang: /longer|time/i, crash: /./ };
  for (const [index, { status, error }] of profiles.entries()) {
    const act = actOf(index);
    const reason = fails[act];
    assert.equal(status, reason === undefined ? "completed" : "failed", `${index} ${act}: ${error}`);
    if (reason !== undefined) assert.match(error ?? "", reason, `${index} ${act}`);
  }
}
