/** Turns of suite `gateway`: a second of load on each server, from a separate process. */
import { readFile } from "node:fs/promises";
import { startPeer } from "./peers.ts";
import { openBar } from "./run/progress.ts";

export interface Contestant {
  name: string;
  library: string;
  pid: number;
  url: string;
  token: string;
}

export interface GatewayCall {
  name: string;
  library: string;
  path: string;
  expects: number;
  token?: string;
  body?: string;
}

export interface Turn {
  rate: number;
  /** Mean in milliseconds, because the generator's quantiles are whole milliseconds and most replies are faster. */
  meanMs: number;
  p99Ms: number;
  /** Microseconds of all server threads per request. */
  processorUs: number;
}

const connections = 10;
const seconds = 1;

/** Turns by call and contestant. Throws on an unexpected status, except the first reply of a 429 call. */
export async function measureGateway(
  contestants: readonly Contestant[],
  calls: readonly GatewayCall[],
  rounds: number,
): Promise<Map<string, Map<string, Turn[]>>> {
  const load = await startPeer("load.mjs");
  const bar = openBar("warming up", (rounds + 1) * calls.length * 3);
  const found = new Map(calls.map(({ name }) => [name, new Map<string, Turn[]>()]));
  try {
    for (let round = -1; round < rounds; round += 1) {
      for (const call of calls) {
        const turn = contestants.filter(({ library }) => library === call.library);
        for (const contestant of (round + 1) % 2 === 0 ? turn : turn.toReversed()) {
          const taken = await takeTurn(load.ask, contestant, call);
          bar.step(`${call.name}, ${contestant.name}`);
          if (round < 0) continue;
          const turns = found.get(call.name);
          turns?.set(contestant.name, [...(turns.get(contestant.name) ?? []), taken]);
        }
      }
    }
  } finally {
    bar.end();
    await load.end();
  }
  return found;
}

interface LoadResult {
  requests: number;
  seconds: number;
  errors: number;
  statuses: Record<string, number>;
  mean: number;
  p99: number;
}

async function takeTurn(
  ask: (options: object) => Promise<unknown>,
  { name, url, token, pid }: Contestant,
  call: GatewayCall,
): Promise<Turn> {
  const before = await processorMs(pid);
  const result = resultOf(
    await ask({
      url: `${url}${call.path}`,
      connections,
      duration: seconds,
      headers: {
        authorization: `Bearer ${call.token ?? token}`,
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(call.body === undefined ? {} : { method: "POST", body: call.body }),
    }),
  );
  const usedMs = (await processorMs(pid)) - before;
  const others = Object.entries(result.statuses).filter(([status]) => Number(status) !== call.expects);
  const allowed = call.expects === 429 ? 1 : 0; // The budget's window moves during the measurement.
  const wrong = others.reduce((sum, [, count]) => sum + count, 0);
  if (result.errors > 0 || wrong > allowed)
    throw new Error(`${name}, ${call.name}: ${result.errors} errors, ${JSON.stringify(result.statuses)}`);
  return {
    rate: result.requests / result.seconds,
    meanMs: result.mean,
    p99Ms: result.p99,
    processorUs: (usedMs * 1_000) / result.requests,
  };
}

function resultOf(said: unknown): LoadResult {
  const result: LoadResult = JSON.parse(JSON.stringify(said));
  return result;
}

const msPerTick = 10;

/** Total processor time of a process; NaN if the system does not show it. */
async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}
