/** `troupe fleet`: begins a fleet, shows it, takes machines out of it, and ends it. A bundle of its own: it needs PostgreSQL's client. */
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ArchivePlace, openArchives } from "../../actors/fleet/archives.ts";
import { markDirectory } from "../../actors/fleet/directory-store.ts";
import { openPostgres, type Postgres, placeOf, refuseOldServer } from "../../actors/fleet/postgres.ts";
import { keysToKeep } from "../../actors/fleet/s3-place.ts";
import { checkTables, headIdIn, prepareTables } from "../../actors/fleet/schema.ts";
import { createSeal, keyCheckOf, newKey } from "../../actors/fleet/sealed.ts";
import { drainMachine, readStatus } from "../../actors/fleet/status.ts";
import { Fault } from "../../protocol/faults.ts";
import { type FleetLeaving, type FleetMember, type FleetStatus, fleetLimits } from "../../protocol/fleet.ts";
import { type CommonFlags, write } from "../cli/commands.ts";
import { failed, table, tell } from "../cli/output.ts";
import { dataDirOf, runningService, serviceIfRunning } from "../cli/reach.ts";
import { readInstance } from "../instance.ts";
import { joinToken, readMember, removeMember, writeMember } from "./member-file.ts";

export interface FleetOnFlags extends CommonFlags {
  postgres: string;
  archives: string;
  label?: string;
}

type Head = Extract<FleetMember, { role: "head" }>;

/** Runs a command and reports its error here, because this bundle has its own `Fault` class. */
async function command(act: () => Promise<void>): Promise<number> {
  try {
    await act();
    return 0;
  } catch (error) {
    return failed(error);
  }
}

async function withPostgres<T>(uri: string, act: (postgres: Postgres) => Promise<T>): Promise<T> {
  const postgres = await openPostgres(uri);
  try {
    return await act(postgres);
  } finally {
    await postgres.close();
  }
}

export const fleetOn = (flags: FleetOnFlags) =>
  command(async () => {
    const dataDir = dataDirOf(flags);
    const before = readMember(dataDir);
    if (before?.role === "worker")
      throw new Fault(
        "invalid",
        `${dataDir} belongs to a worker; begin a fleet on the machine that has the profiles`,
      );
    const { postgres: uri, archives: store } = flags;
    const moved = before !== null && placeOf(before.postgres) !== placeOf(uri);
    if (before !== null && before.archives !== store) throw elsewhere(before);
    refuseOwnDirectory(dataDir, store);
    const key = before?.key ?? newKey();
    const headId = before?.headId ?? randomUUID();
    const storeKeys = keysToKeep(store, before?.storeKeys);
    const place: ArchivePlace = { archives: store, ...(storeKeys === undefined ? {} : { storeKeys }) };
    const isNew = await withPostgres(uri, async (postgres) => {
      await refuseOldServer(postgres);
      // Another address of the same database, or the database moved.
      if (moved && (await headIdIn(postgres)) !== headId) throw elsewhere(before);
      const marked = store.startsWith("dir:") ? await markDirectory(store.slice("dir:".length)) : null;
      try {
        await tryStore(place);
        await prepareTables(postgres, headId, keyCheckOf(createSeal(key)));
      } catch (error) {
        await marked?.unmark();
        throw error;
      }
      return marked?.isNew === true;
    });
    const label = flags.label ?? before?.label ?? "default";
    writeMember(dataDir, { role: "head", postgres: uri, ...place, key, headId, label });
    const runs = serviceIfRunning(flags) !== null;
    write(flags, { fleet: "on", restart: runs }, () =>
      [
        ...(isNew
          ? [`${openArchives(place).place} is a new archive store. If it was one, check its mount.`]
          : []),
        `The fleet is on ${runs ? "when the service has been started again" : "from the next start of the service"}.`,
        "Other machines join with: troupe worker --join TOKEN, and the token of: troupe fleet token",
      ].join("\n"),
    );
  });

function elsewhere({ postgres, archives }: Head): Fault {
  return new Fault(
    "conflict",
    `this service has a fleet, on ${placeOf(postgres)} with archives in ${archives}; its profiles would stay there. Begin another after: troupe fleet off`,
  );
}

/** Throws `invalid`. */
function refuseOwnDirectory(dataDir: string, store: string): void {
  if (`${resolve(store.replace(/^dir:/, ""))}/`.startsWith(`${resolve(dataDir)}/`))
    throw new Fault("invalid", `--archives must not be inside the data directory ${dataDir}`);
}

/** Stores, reads and removes a small object. */
async function tryStore(place: ArchivePlace): Promise<void> {
  const archives = openArchives(place);
  const dir = await mkdtemp(join(tmpdir(), "troupe-store-"));
  try {
    const file = join(dir, "sent");
    await writeFile(file, randomUUID());
    const stored = await archives.put("try", file);
    await archives.get(stored, join(dir, "read"));
    if ((await readFile(join(dir, "read"), "utf8")) !== (await readFile(file, "utf8")))
      throw new Fault("invalid", `${archives.place} does not give back what it stored`);
    await archives.remove(stored.key);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Throws `conflict`. */
function headOf(flags: CommonFlags): Head {
  const member = readMember(dataDirOf(flags));
  if (member?.role === "head") return member;
  throw new Fault("conflict", "this service is not the head of a fleet; begin one with: troupe fleet on");
}

export const fleetToken = (flags: CommonFlags) =>
  command(async () => {
    const token = joinToken(headOf(flags));
    write(flags, { token }, () => token);
  });

/** On the head or a worker. */
export const fleetStatus = (flags: CommonFlags) =>
  command(async () => {
    const member = readMember(dataDirOf(flags));
    if (member === null)
      throw new Fault("conflict", "this machine is in no fleet; begin one with: troupe fleet on");
    const found = await withPostgres(member.postgres, async (postgres) => {
      await checkTables(postgres, null);
      return readStatus(postgres);
    });
    write(flags, found, (status) => shown(member, status));
  });

function shown(member: FleetMember, { workers, parts, waiting, profiles }: FleetStatus): string {
  const rows = workers.map(({ name, label, troupe, engine, slots, holds, state }) => [
    name,
    label,
    troupe,
    String(engine),
    `${holds} of ${slots}`,
    state,
  ]);
  return [
    `${placeOf(member.postgres)}, archives in ${member.archives}`,
    workers.length === 0
      ? "No machine is in the fleet."
      : table(["NAME", "LABEL", "TROUPE", "BROWSER", "PROFILES", "STATE"], rows),
    `Parts: ${parts.queued} wait, ${parts.claimed} open their browser, ${parts.begun} run, ${parts.ended} wait for the head.`,
    ...waiting.map(({ why, count }) => `  ${count} wait ${why}`),
    `Profiles: ${profiles.away} in the fleet, ${profiles.held} of them on a machine.`,
  ].join("\n");
}

/** On the head it ends the fleet; a worker alone leaves it. */
export const fleetOff = (flags: CommonFlags & { drain?: boolean }) =>
  command(async () => {
    const dataDir = dataDirOf(flags);
    const member = readMember(dataDir);
    if (member === null) throw new Fault("conflict", "this machine is in no fleet");
    if (member.role === "worker") await leaveAsWorker(dataDir);
    else await leaveAsHead(flags, flags.drain === true);
    write(flags, { fleet: "off" }, () =>
      member.role === "worker"
        ? "This machine has left the fleet, and its copies of profiles are removed."
        : `The fleet is off. Its workers end by themselves; their copies of profiles go with "troupe fleet off" on each. Nothing in ${member.archives} is needed any more.`,
    );
  });

async function leaveAsWorker(dataDir: string): Promise<void> {
  if (readInstance(dataDir) !== null) throw new Fault("conflict", "the worker runs; stop it, then try again");
  await rm(join(dataDir, "fleet"), { recursive: true, force: true });
  removeMember(dataDir);
}

async function leaveAsHead(flags: CommonFlags, drain: boolean): Promise<void> {
  const service = runningService(flags);
  let said = "";
  for (;;) {
    const leaving = await service.leaveFleet({ drain });
    if (leaving.left) return;
    const words = leavingWords(leaving);
    if (words !== said) tell(words);
    said = words;
    await new Promise((done) => setTimeout(done, fleetLimits.lookMs));
  }
}

function leavingWords({ runs, away, waits }: FleetLeaving): string {
  if (runs > 0) return `Runs that go on in the fleet: ${runs}. New ones stay on this machine.`;
  const because = waits === null ? "" : ` (${waits})`;
  return away > 0 ? `Profiles that are still in the fleet: ${away}${because}` : `Waiting${because}`;
}

export const fleetDrain = (name: string, flags: CommonFlags & { off?: boolean }) =>
  command(async () => {
    const draining = flags.off !== true;
    await withPostgres(headOf(flags).postgres, (postgres) => drainMachine(postgres, name, draining));
    write(flags, { name, draining }, () =>
      draining
        ? `${name} claims nothing more until it is started again; what it runs goes on.`
        : `${name} claims parts again.`,
    );
  });
