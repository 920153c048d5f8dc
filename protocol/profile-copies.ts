/** Duplicates, checkpoints and archives of profiles (protocol/README.md, "Copies of a profile"). */
import type { tags } from "typia";
import type { Profile } from "./records.ts";
import type { Count, DateTime, Text, Uuid } from "./scalars.ts";

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

export interface ProfileCopyShapes {
  DuplicateBody: DuplicateBody;
  CheckpointParams: CheckpointParams;
  CreateCheckpointBody: CreateCheckpointBody;
  ExportProfileQuery: ExportProfileQuery;
  ImportProfileBody: ImportProfileBody;
}
