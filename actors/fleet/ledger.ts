/** What the fleet's machines agree on: who has a profile, and how far each part is. */
import type { StoredArchive } from "../../protocol/fleet.ts";

export interface PartKey {
  runId: string;
  profileId: string;
}

/** A part and the profile's lease that it was claimed with. A later claim of the profile has a higher epoch. */
export interface Lease extends PartKey {
  session: string;
  epoch: number;
}

/** One start of a worker. */
export interface Joining {
  session: string;
  name: string;
  label: string;
  platform: string;
  /** Major version. */
  engine: number;
  troupe: string;
  slots: number;
}

export interface Beat {
  /** Others may have its profiles: it must end its browsers and join anew. */
  lost: boolean;
  draining: boolean;
  aborts: (PartKey & { reason: string })[];
  /** Begun parts whose log somebody reads now. */
  read: PartKey[];
  /** The database's clock, in milliseconds since 1970. */
  now: number;
}

export interface Claim extends PartKey {
  epoch: number;
  spec: Uint8Array;
  archive: StoredArchive;
}

/** Of the machine that wrote an archive. */
export interface ArchiveOrigin {
  platform: string;
  engine: number;
  label: string;
}

export interface WorkerLedger {
  /** Throws `conflict` when another worker of this name is there. */
  join(joining: Joining): Promise<void>;
  beat(session: string, now: { slots: number; trouble: string | null }): Promise<Beat>;
  /** Queued parts; first those that an earlier call claimed without an answer, which `known` does not have. */
  claim(session: string, most: number, known: readonly PartKey[]): Promise<Claim[]>;
  /** False: the part was aborted before, or is no longer this lease's. Repeating it is harmless, as with each of these. */
  begin(lease: Lease): Promise<boolean>;
  /** Back to the queue: it has not begun. */
  unclaim(lease: Lease): Promise<void>;
  /** False: the part is no longer this lease's, and the outcome is not kept. */
  finish(lease: Lease, outcome: Uint8Array): Promise<boolean>;
  /** The profile may be claimed again. `archive` null: its files stay those of before. False: it was no longer this lease's, and the archive is not kept. */
  release(
    lease: Lease,
    archive: (StoredArchive & ArchiveOrigin) | null,
  ): Promise<{ released: boolean; replaced: string | null }>;
  sessions(): Promise<{ session: string; beat: number }[]>;
  /** What the session had is queued again, or interrupted if it had begun. False when it has beaten since. */
  expire(session: string, beat: number): Promise<boolean>;
  /** As `expire`, for a session that has ended its browsers. */
  leave(session: string): Promise<void>;
}

export interface FleetProfile {
  /** The head has it; `archive` then counts only until the head has fetched it. */
  home: boolean;
  archive: StoredArchive | null;
}

/** Of a part that has begun or ended since it was noted. */
export interface News extends PartKey {
  state: "begun" | "ended";
  /** Whether a script of it has begun. */
  begun: boolean;
  ending: "outcome" | "interrupted" | "skipped" | null;
  outcome: Uint8Array | null;
  epoch: number | null;
}

export interface HeadLedger {
  profile(profileId: string): Promise<FleetProfile | null>;
  /** The fleet may claim the profile. `archive` null: the one that is there. */
  give(
    profileId: string,
    given: ArchiveOrigin & { archive: StoredArchive | null; proxied: boolean },
  ): Promise<{ replaced: string | null }>;
  /** False: the profile is at home. A part that is there stays as it is. */
  publish(part: PartKey, spec: Uint8Array): Promise<boolean>;
  /** False: there is no such part. */
  abort(part: PartKey, reason: string): Promise<boolean>;
  news(): Promise<News[]>;
  noted(part: PartKey): Promise<void>;
  /** The outcome is in the library. */
  taken(part: PartKey): Promise<void>;
  /** The head has the profile from now on. Returns the archive that it must fetch first. Throws `conflict`: who has it, or what waits for it. */
  takeHome(profileId: string): Promise<StoredArchive | null>;
  /** The head has fetched the archive, which nobody needs any more. */
  atHome(profileId: string): Promise<void>;
}

export type Ledger = WorkerLedger & HeadLedger;
