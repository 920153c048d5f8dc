/** Suite `gateway`: requests per second of ours, bare node:http, and Fastify with the same auth and schemas. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Contestant, type GatewayCall, measureGateway, type Turn } from "./gateway-turns.ts";
import { installPeers, startPeer } from "./peers.ts";
import { roundsOf } from "./run/asked.ts";
import { type Series, seriesOf } from "./run/series.ts";
import { turnRatio } from "./run/statistics.ts";
import { fillLibrary } from "./scale-data.ts";
import { type Served, startServed, withDataDir } from "./served.ts";
import { announce, report, samplesTable, type Target } from "./table.ts";

const usualRounds = 12;
const sizes = { few: 100, many: 10_000 };
/** After one call, every expensive call is refused. */
const expensiveCallsMax = 1;

const contestants = {
  ours: "Troupe",
  bare: "bare node:http",
  fastify: "Fastify, same auth and schemas",
} as const;

const calls: GatewayCall[] = [
  { name: "GET capacity", library: "few", path: "/v1/capacity", expects: 200 },
  { name: `GET profiles, ${sizes.few}`, library: "few", path: "/v1/profiles", expects: 200 },
  { name: `GET profiles, ${sizes.many}`, library: "many", path: "/v1/profiles", expects: 200 },
  { name: "401", library: "few", path: "/v1/capacity", expects: 401, token: "unknown" },
  { name: "429", library: "few", path: "/v1/profiles", expects: 429, body: '{"count":1}' },
];

export async function runGatewaySuite(): Promise<void> {
  await installPeers();
  const rounds = roundsOf(usualRounds);
  const conditions = announce(
    "gateway",
    `${calls.length} kinds of request, ${rounds} rounds of a second each`,
  );
  const turns = await withDataDir((few) =>
    withDataDir(async (many) => {
      await fillLibrary(few, { profiles: sizes.few, runs: 0, schedules: 0 });
      await fillLibrary(many, { profiles: sizes.many, runs: 0, schedules: 0 });
      return withContestants({ few, many }, (found) => measureGateway(found, calls, rounds));
    }),
  );
  const rates = (call: string, name: string) => (turns.get(call)?.get(name) ?? []).map((turn) => turn.rate);
  const over = (call: string, other: string) => turnRatio(rates(call, contestants.ours), rates(call, other));
  const named = calls.map(({ name }) => name);
  const targets: Target[] = [
    ...named
      .filter((name) => !name.includes(String(sizes.many)))
      .map((name) =>
        least(`${name}: requests a second over bare node:http`, over(name, contestants.bare), 0.5),
      ),
    ...named.map((name) =>
      least(`${name}: requests a second over Fastify`, over(name, contestants.fastify), 1),
    ),
  ];
  report(
    "gateway",
    named.map((name) => callTable(name, turns.get(name) ?? new Map())).join("\n\n"),
    targets,
    {
      ...conditions,
      series: named.flatMap((name) => callSeries(name, turns.get(name) ?? new Map())),
    },
  );
}

const least = (what: string, figure: number, limit: number): Target => ({
  what,
  figure,
  limit,
  atLeast: true,
});

const figures = [
  { unit: "/s", better: "higher", of: (turn: Turn) => turn.rate },
  { unit: "ms, mean", better: "lower", of: (turn: Turn) => turn.meanMs },
  { unit: "ms, p99", better: "lower", of: (turn: Turn) => turn.p99Ms },
  { unit: "µs processor a request", better: "lower", of: (turn: Turn) => turn.processorUs },
] as const;

type Turns = ReadonlyMap<string, readonly Turn[]>;

const samplesOf = (turns: Turns, of: (turn: Turn) => number) =>
  new Map([...turns].map(([name, taken]) => [name, taken.map(of)]));

function callTable(name: string, turns: Turns): string {
  const tables = figures.map(({ unit, of }) =>
    samplesTable(samplesOf(turns, of), contestants.bare, unit.startsWith("ms") ? 2 : 1, `${name}, ${unit}`),
  );
  return tables.join("\n");
}

function callSeries(call: string, turns: Turns): Series[] {
  return figures.flatMap(({ unit, better, of }) =>
    seriesOf(`${call}, ${unit}`, samplesOf(turns, of), { unit, better, base: contestants.bare }),
  );
}

async function withContestants<Result>(
  dirs: { few: string; many: string },
  use: (found: Contestant[]) => Promise<Result>,
): Promise<Result> {
  const ends: (() => Promise<void>)[] = [];
  try {
    const found: Contestant[] = [];
    for (const library of ["few", "many"] as const) {
      const started = await startServed(dirs[library], {
        rateLimit: library === "few" ? expensiveCallsMax : 0,
      });
      ends.push(started.end);
      const { pid, apiUrl, token } = started.served;
      found.push({ name: contestants.ours, library, pid, url: apiUrl, token });
      const file = await valuesOf(started.served, dirs[library]);
      for (const [name, program] of [
        [contestants.bare, "bare-server.mjs"],
        [contestants.fastify, "fastify-server.mjs"],
      ] as const) {
        const peer = await startPeer(program, file);
        ends.push(peer.end);
        found.push({ name, library, pid: peer.pid, url: `http://127.0.0.1:${portIn(peer.ready)}`, token });
      }
    }
    return await use(found);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function portIn(ready: unknown): number {
  if (typeof ready === "object" && ready !== null && "port" in ready) return Number(ready.port);
  throw new Error("the server names no port");
}

async function valuesOf({ rest, token }: Served, dir: string): Promise<string> {
  const document: OpenapiDocument = await rest.get("/v1/openapi.json");
  const { schemas } = document.components;
  const file = join(dir, "tmp", "values.json");
  const values = {
    profiles: await rest.get("/v1/profiles"),
    capacity: await rest.get("/v1/capacity"),
    token,
    expensiveCallsMax,
    schemas: {
      profile: whole(schemas.Profile, schemas),
      capacity: whole(schemas.Capacity, schemas),
      createBody: whole(schemas.CreateProfilesBody, schemas),
    },
  };
  await writeFile(file, JSON.stringify(values));
  return file;
}

interface OpenapiDocument {
  components: { schemas: Record<string, unknown> };
}

function whole(schema: unknown, all: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => whole(inner, all));
  if (typeof schema !== "object" || schema === null) return schema;
  const reference = "$ref" in schema ? String(schema.$ref) : null;
  if (reference !== null) return whole(all[reference.slice(reference.lastIndexOf("/") + 1)], all);
  return Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, whole(inner, all)]));
}
