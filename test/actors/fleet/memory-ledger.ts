/** The fleet's ledger in memory: what the ledger in PostgreSQL must do, for the simulation and for comparison with it. */
import type {
  Claim,
  FleetProfile,
  HeadLedger,
  Joining,
  Lease,
  Ledger,
  News,
  PartKey,
  WorkerLedger,
} from "../../../actors/fleet/ledger.ts";
import { Fault } from "../../../protocol/faults.ts";
import { fleetLimits, type StoredArchive } from "../../../protocol/fleet.ts";

interface Worker extends Joining {
  beat: number;
  draining: boolean;
  lost: boolean;
}

interface Profile extends FleetProfile {
  epoch: number;
  holder: string | null;
  archiveEpoch: number;
  platform: string;
  engine: number;
  label: string;
  proxied: boolean;
  lastWorker: string | null;
}

interface Part extends PartKey {
  state: "queued" | "claimed" | "begun" | "ended";
  spec: Uint8Array;
  session: string | null;
  epoch: number | null;
  queuedAt: number;
  begun: boolean;
  abort: string | null;
  ending: News["ending"];
  outcome: Uint8Array | null;
  noted: boolean;
}

/** Faults that a test plants. */
export interface LedgerBugs {
  releasesWithoutEpoch?: boolean;
  expiresWithoutBeat?: boolean;
}

export interface MemoryLedger extends Ledger {
  workers: Map<string, Worker>;
  profiles: Map<string, Profile>;
  parts: Map<string, Part>;
}

const keyOf = ({ runId, profileId }: PartKey) => `${runId} ${profileId}`;

interface State extends Pick<MemoryLedger, "workers" | "profiles" | "parts"> {
  now(): number;
}

/** The ledger, without any of its calls. */
function createState(now: () => number): State {
  return { workers: new Map(), profiles: new Map(), parts: new Map(), now };
}

export function createMemoryLedger(now: () => number, bugs: LedgerBugs = {}): MemoryLedger {
  const state = createState(now);
  return { ...state, ...workerCalls(state, bugs), ...headCalls(state) };
}

/** Whether no other machine that is there has the profile's files. */
function isNear({ workers }: State, { lastWorker }: Profile, me: Worker): boolean {
  if (lastWorker === null || lastWorker === me.name) return true;
  return ![...workers.values()].some((one) => one.name === lastWorker && !one.lost && !one.draining);
}

/** Whether the worker may claim the part. */
function fits(state: State, part: Part, profile: Profile, me: Worker): boolean {
  if (part.state !== "queued" || profile.home || profile.holder !== null) return false;
  if (profile.platform !== me.platform || profile.engine > me.engine) return false;
  if (!profile.proxied && profile.label !== me.label) return false;
  return isNear(state, profile, me) || part.queuedAt < state.now() - fleetLimits.affinityMs;
}

function workerCalls(state: State, bugs: LedgerBugs): WorkerLedger {
  const { workers, profiles, parts, now } = state;
  const holds = (lease: Lease, ...states: Part["state"][]): Part | null => {
    const part = parts.get(keyOf(lease));
    if (part === undefined || part.session !== lease.session || part.epoch !== lease.epoch) return null;
    return states.includes(part.state) ? part : null;
  };
  const requeue = (part: Part) => {
    const ended = part.abort !== null;
    Object.assign(part, { session: null, epoch: null, state: ended ? "ended" : "queued" });
    if (ended) part.ending = "skipped";
  };
  const free = (session: string) => {
    for (const part of parts.values()) {
      if (part.session !== session) continue;
      if (part.state === "claimed") requeue(part);
      else if (part.state === "begun")
        Object.assign(part, { state: "ended", ending: "interrupted", noted: false });
    }
    for (const profile of profiles.values()) if (profile.holder === session) profile.holder = null;
  };
  const claimOf = (part: Part, profile: Profile): Claim => ({
    runId: part.runId,
    profileId: part.profileId,
    epoch: profile.epoch,
    spec: part.spec,
    archive: profile.archive as StoredArchive,
  });
  const profileOf = (id: string) => profiles.get(id) as Profile;

  return {
    async join(joining) {
      const there = [...workers.values()].find((one) => one.name === joining.name && !one.lost);
      if (there?.session === joining.session) return;
      if (there !== undefined) throw new Fault("conflict", `a worker named ${joining.name} is in the fleet`);
      workers.set(joining.session, { ...joining, beat: 0, draining: false, lost: false });
    },
    async beat(session) {
      const worker = workers.get(session);
      const lost = worker === undefined || worker.lost;
      if (!lost) worker.beat += 1;
      const aborts = [...parts.values()].flatMap(({ runId, profileId, abort, state, session: by }) =>
        by === session && abort !== null && (state === "claimed" || state === "begun")
          ? [{ runId, profileId, reason: abort }]
          : [],
      );
      return { lost, draining: worker?.draining === true, aborts, read: [], now: now() };
    },
    async claim(session, most, known) {
      const me = workers.get(session);
      const knows = new Set(known.map(keyOf));
      const unanswered = [...parts.values()].filter(
        (part) => part.session === session && part.state === "claimed" && !knows.has(keyOf(part)),
      );
      if (unanswered.length > 0) return unanswered.map((part) => claimOf(part, profileOf(part.profileId)));
      if (me === undefined || me.lost || me.draining) return [];
      const far = (part: Part) => (isNear(state, profileOf(part.profileId), me) ? 0 : 1);
      const fitting = [...parts.values()].filter((part) => fits(state, part, profileOf(part.profileId), me));
      const chosen = fitting.sort((a, b) => far(a) - far(b) || a.queuedAt - b.queuedAt).slice(0, most);
      return chosen.map((part) => {
        const profile = profileOf(part.profileId);
        profile.epoch += 1;
        profile.holder = session;
        Object.assign(part, { state: "claimed", session, epoch: profile.epoch });
        return claimOf(part, profile);
      });
    },
    async begin(lease) {
      const part = holds(lease, "claimed", "begun");
      if (part === null || (part.state === "claimed" && part.abort !== null)) return false;
      Object.assign(part, { state: "begun", begun: true });
      return true;
    },
    async unclaim(lease) {
      const part = holds(lease, "claimed");
      if (part === null) return;
      requeue(part);
      const profile = profileOf(lease.profileId);
      if (profile.holder === lease.session && profile.epoch === lease.epoch) profile.holder = null;
    },
    async finish(lease, outcome) {
      const part = holds(lease, "claimed", "begun");
      if (part !== null) Object.assign(part, { state: "ended", ending: "outcome", outcome, noted: false });
      return part !== null || holds(lease, "ended")?.ending === "outcome";
    },
    async release({ profileId, session, epoch }, archive) {
      const profile = profiles.get(profileId);
      if (profile === undefined) return { released: false, replaced: null };
      const isLease = profile.holder === session && profile.epoch === epoch;
      if (!isLease && bugs.releasesWithoutEpoch !== true)
        return { released: archive !== null && profile.archive?.key === archive.key, replaced: null };
      profile.holder = null;
      if (archive === null) return { released: true, replaced: null };
      const replaced = profile.archive?.key ?? null;
      const { key, sha256, bytes, platform, engine, label } = archive;
      const lastWorker = workers.get(session)?.name ?? null;
      Object.assign(profile, { archive: { key, sha256, bytes }, archiveEpoch: epoch });
      Object.assign(profile, { platform, engine, label, lastWorker });
      return { released: true, replaced: replaced === key ? null : replaced };
    },
    async sessions() {
      return [...workers.values()]
        .filter(({ lost }) => !lost)
        .map(({ session, beat }) => ({ session, beat }));
    },
    async expire(session, beat) {
      const worker = workers.get(session);
      if (worker === undefined || worker.lost) return false;
      if (worker.beat !== beat && bugs.expiresWithoutBeat !== true) return false;
      worker.lost = true;
      free(session);
      return true;
    },
    async leave(session) {
      const worker = workers.get(session);
      if (worker !== undefined) worker.lost = true;
      free(session);
    },
  };
}

function headCalls({ profiles, parts, now }: State): HeadLedger {
  return {
    async profile(profileId) {
      const known = profiles.get(profileId);
      return known === undefined ? null : { home: known.home, archive: known.archive };
    },
    async give(profileId, { archive, ...origin }) {
      const known = profiles.get(profileId);
      if (known === undefined) {
        const fresh = { epoch: 1, home: false, holder: null, archive, archiveEpoch: 1, lastWorker: null };
        profiles.set(profileId, { ...fresh, ...origin });
        return { replaced: null };
      }
      const replaced =
        archive === null || known.archive?.key === archive.key ? null : (known.archive?.key ?? null);
      if (!known.home) return { replaced };
      Object.assign(known, {
        epoch: known.epoch + 1,
        home: false,
        proxied: origin.proxied,
        lastWorker: null,
      });
      if (archive !== null) Object.assign(known, { ...origin, archive, archiveEpoch: known.epoch });
      return { replaced };
    },
    async publish(part, spec) {
      const profile = profiles.get(part.profileId);
      if (profile === undefined || profile.home) return false;
      if (parts.has(keyOf(part))) return true;
      const fresh = { session: null, epoch: null, begun: false, abort: null, ending: null, outcome: null };
      parts.set(keyOf(part), { ...part, ...fresh, state: "queued", spec, queuedAt: now(), noted: false });
      return true;
    },
    async abort(key, reason) {
      const part = parts.get(keyOf(key));
      if (part === undefined) return false;
      part.abort ??= reason;
      part.noted = false;
      if (part.state === "queued") Object.assign(part, { state: "ended", ending: "skipped" });
      return true;
    },
    async news() {
      return [...parts.values()].flatMap(
        ({ runId, profileId, state, begun, ending, outcome, epoch, noted }) =>
          !noted && (state === "begun" || state === "ended")
            ? [{ runId, profileId, state, begun, ending, outcome, epoch }]
            : [],
      );
    },
    async noted(key) {
      const part = parts.get(keyOf(key));
      if (part?.state === "begun") part.noted = true;
    },
    async taken(key) {
      if (parts.get(keyOf(key))?.state === "ended") parts.delete(keyOf(key));
    },
    async takeHome(profileId) {
      const profile = profiles.get(profileId);
      if (profile === undefined) return null;
      if (profile.home) return profile.archive;
      const waits = [...parts.values()].some(
        (part) => part.profileId === profileId && part.state !== "ended",
      );
      if (profile.holder !== null || waits) throw new Fault("conflict", `profile ${profileId} is in use`);
      Object.assign(profile, { home: true, epoch: profile.epoch + 1 });
      return profile.archive;
    },
    async atHome(profileId) {
      const profile = profiles.get(profileId);
      if (profile?.home === true) profile.archive = null;
    },
  };
}
