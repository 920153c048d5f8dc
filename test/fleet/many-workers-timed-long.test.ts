/** How many parts a second one PostgreSQL carries for up to 1,000 workers without browsers. On demand: `npm test -- many-workers`. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createHeadLedger } from "../../actors/fleet/head-ledger.ts";
import { openPostgres, type Postgres } from "../../actors/fleet/postgres.ts";
import { prepareTables } from "../../actors/fleet/schema.ts";
import { channels, createWorkerLedger } from "../../actors/fleet/worker-ledger.ts";
import { systemClock } from "../../actors/kernel/clock.ts";
import { createLook } from "../../actors/runs/fleet-look.ts";
import { fleetLimits } from "../../protocol/fleet.ts";
import { needsPostgres, noPostgres, startPostgres, type TestPostgres } from "./postgres.ts";
import { cpuMsBelow } from "./process-time.ts";

const profileCount = 4_000;
const workerCounts = [10, 100, 300, 1_000];
const measuredMs = 15_000;
/** As behind a pooler. */
const connections = 60;
const archive = { key: "profiles/x/1/y", sha256: "0".repeat(64), bytes: 1_000_000 };
const origin = { platform: process.platform, engine: 100, label: "here" };
const specBytes = 4_000;

let server: TestPostgres;
let shared: Postgres;
before(async () => {
  if (noPostgres !== false) return;
  server = await startPostgres();
  shared = await openPostgres(server.uri, connections);
});
after(async () => {
  if (noPostgres !== false) return;
  await shared.close();
  await server.close();
});

async function emptyFleet(): Promise<void> {
  await shared.all("DROP SCHEMA IF EXISTS troupe_fleet CASCADE");
  await prepareTables(shared, "head", new Uint8Array(1));
  await shared.all(
    `INSERT INTO troupe_fleet.profile (profile_id, epoch, home, archive, sha256, bytes, archive_epoch, platform, engine, label, proxied)
     SELECT 'p' || n, 1, false, $2, $3, $4, 1, $5, $6, $7, false FROM generate_series(1, $1) n`,
    [
      profileCount,
      ...[archive.key, archive.sha256, archive.bytes],
      ...[origin.platform, origin.engine, origin.label],
    ],
  );
  await shared.all(
    `INSERT INTO troupe_fleet.part (run_id, profile_id, state, spec)
     SELECT 'r0', 'p' || n, 'queued', $2 FROM generate_series(1, $1) n`,
    [profileCount, new Uint8Array(specBytes)],
  );
  await shared.all("ANALYZE");
}

interface Counts {
  done: number;
  /** Statements that had no answer in time. */
  late: Map<string, number>;
  claimMs: number[];
}

function noteLate(counts: Counts, error: unknown): void {
  const { message } = error as Error;
  counts.late.set(message, (counts.late.get(message) ?? 0) + 1);
}

/** Claims, begins, ends and releases, as a worker with one slot whose parts take no time. */
async function joinWorker(counts: Counts, number: number) {
  const ledger = createWorkerLedger(shared);
  const session = randomUUID();
  await ledger.join({ session, name: `w${number}`, ...origin, troupe: "1", slots: 1 });
  const claim = createLook(
    systemClock,
    fleetLimits.lookMs,
    async () => {
      try {
        const askedAt = performance.now();
        const [claimed] = await ledger.claim(session, 1, []);
        counts.claimMs.push(performance.now() - askedAt);
        if (claimed === undefined) return;
        const lease = { ...claimed, session };
        assert.ok(await ledger.begin(lease));
        assert.ok(await ledger.finish(lease, new Uint8Array(specBytes)));
        const key = `profiles/${claimed.profileId}/${claimed.epoch}/y`;
        await ledger.release(lease, { ...archive, key, ...origin });
        counts.done += 1;
        claim.now();
      } catch (error) {
        noteLate(counts, error);
      }
    },
    1,
  );
  const beat = createLook(systemClock, fleetLimits.beatMs, async () => {
    await ledger
      .beat(session, { slots: 1, trouble: null })
      .catch((error: unknown) => noteLate(counts, error));
  });
  claim.now();
  beat.now();
  return () => Promise.all([claim.close(), beat.close()]);
}

/** Takes outcomes, and publishes the next part of each profile. */
async function startHead(counts: Counts) {
  const postgres = await openPostgres(server.uri);
  const ledger = createHeadLedger(postgres);
  const taking = new Set<string>();
  let round = 0;
  const take = async (part: { runId: string; profileId: string; state: string }) => {
    if (part.state === "begun") return ledger.noted(part);
    await ledger.taken(part);
    round += 1;
    await ledger.publish({ runId: `r${round}`, profileId: part.profileId }, new Uint8Array(specBytes));
  };
  const look = createLook(systemClock, fleetLimits.lookMs, async () => {
    const news = await ledger.news().catch((error: unknown) => {
      noteLate(counts, error);
      return [];
    });
    for (const part of news) {
      const key = `${part.runId} ${part.profileId} ${part.state}`;
      if (taking.has(key)) continue;
      taking.add(key);
      take(part)
        .catch((error: unknown) => noteLate(counts, error))
        .finally(() => taking.delete(key));
    }
  });
  postgres.listen(channels.head, look.now);
  return async () => {
    await look.close();
    await postgres.close();
  };
}

test("parts a second by the number of workers", needsPostgres, async (t) => {
  for (const workerCount of workerCounts) {
    await emptyFleet();
    const counts: Counts = { done: 0, late: new Map(), claimMs: [] };
    const endHead = await startHead(counts);
    const ends = await Promise.all(
      Array.from({ length: workerCount }, (_, number) => joinWorker(counts, number)),
    );
    const [done, serverMs, ownMs] = [counts.done, cpuMsBelow(server.pid()), process.cpuUsage()];
    const from = performance.now();
    await new Promise((over) => setTimeout(over, measuredMs));
    const secs = (performance.now() - from) / 1_000;
    const own = process.cpuUsage(ownMs);
    const parts = counts.done - done;
    const ms = counts.claimMs.sort((one, other) => one - other);
    const at = (share: number) => Math.round(ms[Math.floor(ms.length * share)] ?? 0);
    t.diagnostic(
      `${workerCount} workers: ${(parts / secs).toFixed(0)} parts/s; claim p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; ` +
        `cores: PostgreSQL ${((cpuMsBelow(server.pid()) - serverMs) / secs / 1_000).toFixed(2)}, workers and head ` +
        `${((own.user + own.system) / secs / 1_000_000).toFixed(2)}; late: ${JSON.stringify([...counts.late])}`,
    );
    await Promise.all(ends.map((end) => end()));
    await endHead();
    assert.ok(parts > 0);
  }
});
