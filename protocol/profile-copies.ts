/** Duplicates, checkpoints and archives of profiles (protocol/README.md, "Copies of a profile"). */
import type { tags } from "typia";
import type { Fingerprint } from "./fingerprint.ts";
import type { Profile } from "./records.ts";
import type { Count, DateTime, Labels, ProfileOs, Text, Uuid } from "./scalars.ts";

export interface DuplicateBody {
  /** Default 1. */
  count?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<50>;
  /** `{n}` is replaced by 1, 2, …. Default: the profile's name and `copy`. */
  name_template?: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** Also its cookies, logins and storage; the profile must be stopped. */
  with_state?: boolean;
  /** The same fingerprint instead of a new one. Default: as with_state. */
  same_device?: boolean;
}

export interface CheckpointParams {
  id: Uuid;
  checkpoint_id: Uuid;
}

export interface CreateCheckpointBody {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  note?: string & tags.MaxLength<2000>;
  /** Stops a running profile for it, and starts it again as it was. */
  restart?: boolean;
}

export interface Checkpoint {
  checkpoint_id: Uuid;
  name: string;
  note: string | null;
  created_at: DateTime;
  /** Of its files. */
  bytes: Count;
}

export interface ExportProfileQuery {
  /** Without storage, history and extensions. */
  cookies_only?: boolean;
}

/** Over REST the body is the archive itself, as `application/vnd.troupe.profile`. */
export interface ImportProfileBody {
  /** The archive in base64. */
  archive: Text & tags.JsonSchemaPlugin<{ writeOnly: true }>;
}

export interface ImportedProfile extends Profile {
  /** What the archive does not carry, in words: variables, the proxy, logins from another operating system. */
  missing: string[];
}

/** A profile in an archive: without its files and secrets. */
export interface ArchivedProfile {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  os: ProfileOs;
  folder: (string & tags.MinLength<1> & tags.MaxLength<100>) | null;
  groups: Labels;
  tags: Labels;
  timezone: Text;
  languages: Text[] & tags.MaxItems<20>;
  fingerprint: Fingerprint | null;
  /** Names only. */
  variables: string[];
  /** `type://host:port`, without user and password; null: none. */
  proxy: string | null;
}

/** What an archive's manifest says beside its files. */
export interface ArchivedContent {
  /** Of Node's `process.platform`. */
  platform: string;
  /** Version of the engine that used the files last; null: none. */
  engine: string | null;
  cookiesOnly: boolean;
  profile: ArchivedProfile;
}

export interface ProfileCopyShapes {
  DuplicateBody: DuplicateBody;
  CheckpointParams: CheckpointParams;
  CreateCheckpointBody: CreateCheckpointBody;
  ExportProfileQuery: ExportProfileQuery;
  ImportProfileBody: ImportProfileBody;
}
