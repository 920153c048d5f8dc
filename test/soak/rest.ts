/** The service's resources when it is idle, read when they no longer change. */
import { descriptorCount, type Holdings, holdingsOf, residentBytes } from "../../bench/leftovers.ts";
import type { Profile, Run } from "../../protocol/records.ts";
import { untilFinal } from "./loads/batches.ts";
import { type LoadContext, pause } from "./loads/load.ts";

export interface AtRest extends Holdings {
  /** After a collection of garbage in every thread. */
  residentMb: number;
}

const readEveryMs = 1_000;
/** Longer than an idle task thread lives (30 s). By then, connections have closed and freed memory is returned. */
const stillMs = 35_000;
const stillMsMax = 120_000;

export async function comeToRest(context: LoadContext): Promise<AtRest> {
  const { target, ledger } = context;
  for (;;) {
    const [running] = (await target.get<Run[]>("/v1/runs?limit=100")).filter(isRunning);
    if (running === undefined) break;
    await untilFinal(context, running.id);
  }
  const profiles = await target.get<Profile[]>("/v1/profiles");
  for (const { id, status } of profiles)
    if (status !== "stopped") await ledger.attempt("stop", id, () => target.post(`/v1/profiles/${id}/stop`));
  const { active, queued } = await target.get<{ active: number; queued: number }>("/v1/capacity");
  if (active + queued > 0) ledger.wrong(`the idle service has ${active} slots taken and ${queued} waiting`);
  await target.disconnect();
  const holdings = await untilStill(target.pid(), target.dataDir);
  await target.collectGarbage();
  return { ...holdings, residentMb: Math.round((await residentBytes(target.pid())) / 1e5) / 10 };
}

const isRunning = ({ status }: Run) => status === "running";

async function untilStill(pid: number, dataDir: string): Promise<Holdings> {
  const latest = Date.now() + stillMsMax;
  let last = "";
  let since = Date.now();
  for (;;) {
    await pause(readEveryMs);
    const held = await holdingsOf(pid, dataDir);
    const now = `${held.processes} ${held.threads} ${descriptorCount(held)}`;
    if (now !== last) since = Date.now();
    last = now;
    if (Date.now() - since < stillMs && Date.now() < latest) continue;
    return held;
  }
}
