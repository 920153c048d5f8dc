/** Whether the service can work, and with what. */
import { statfs } from "node:fs/promises";
import { versionNumber } from "../actors/kernel/program-version.ts";
import type { Health } from "../protocol/health.ts";
import type { Actors } from "./actors.ts";
import { fleetHealth } from "./fleet-health.ts";
import { findChromium } from "./machine.ts";
import { packageVersion } from "./version.ts";

let engine: { path: string; version: Promise<string | null> } | null = null;

/** Asked once of each program. */
function engineVersion(): Promise<string | null> {
  const path = findChromium();
  if (engine?.path !== path) {
    engine = { path, version: versionNumber(path) };
  }
  return engine.version;
}

export async function healthOf(actors: Actors): Promise<Health> {
  const [slots, storage, disk, chromium, fleet] = await Promise.all([
    actors.capacity(),
    actors.library.storageState({}),
    statfs(actors.dataDir),
    engineVersion().catch(() => null),
    fleetHealth(actors),
  ]);
  const lacking = [
    ...(storage.refusal === null ? [] : [storage.refusal]),
    ...(chromium === null ? ["no Chromium answers; see: troupe doctor"] : []),
  ];
  return {
    ready: lacking.length === 0,
    lacking,
    versions: { troupe: packageVersion(), node: process.versions.node, chromium },
    disk: { free_bytes: disk.bavail * disk.bsize, total_bytes: disk.blocks * disk.bsize },
    slots,
    fleet,
    snapshot_age_secs:
      storage.snapshotAt === null
        ? null
        : Math.max(0, Math.round((Date.now() - Date.parse(storage.snapshotAt)) / 1_000)),
  };
}
